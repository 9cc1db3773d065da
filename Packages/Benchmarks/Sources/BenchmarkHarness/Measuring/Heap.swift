import CBenchmarkSupport

/// What objects cost on the heap.
///
/// ```swift
/// let bytes = Heap.blockSize(of: Field<Int>())
/// let each = Heap.bytesPerInstance(count: 100_000) { Field<Int>() }
/// ```
public enum Heap {
  /// The bytes of the block that holds an object, without what the allocator keeps beside it; 0 where that is unknown.
  public static func blockSize(of object: AnyObject) -> Int {
    withExtendedLifetime(object) { Int(benchmark_block_size(Unmanaged.passUnretained(object).toOpaque())) }
  }

  /// How much the heap grows for each of many objects, everything they hold and what the allocator keeps beside each
  /// block included; 0 where that is unknown.
  public static func bytesPerInstance(count: Int, make: () -> AnyObject) -> Double {
    var objects: [AnyObject] = []
    objects.reserveCapacity(count)
    // What is made once for all, such as metadata, must not count.
    blackHole(make())
    let before = benchmark_heap_in_use()
    for _ in 0..<count { objects.append(make()) }
    let after = benchmark_heap_in_use()
    return withExtendedLifetime(objects) { Double(after) - Double(before) } / Double(count)
  }
}

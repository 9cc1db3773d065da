import CBenchmarkSupport

/// Measurements of the heap memory of objects.
///
/// ```swift
/// let bytes = Heap.blockSize(of: Field<Int>())
/// let each = Heap.bytesPerInstance(count: 100_000) { Field<Int>() }
/// ```
public enum Heap {
  /// Returns the size of an object's block without the allocator's overhead; 0 if it is unknown.
  public static func blockSize(of object: AnyObject) -> Int {
    withExtendedLifetime(object) { Int(benchmark_block_size(Unmanaged.passUnretained(object).toOpaque())) }
  }

  /// Returns the growth of the heap for each of many objects, with everything they hold and the allocator's overhead; 0
  /// if it is unknown.
  public static func bytesPerInstance(count: Int, make: () -> AnyObject) -> Double {
    var objects: [AnyObject] = []
    objects.reserveCapacity(count)
    // Memory that is allocated only once, such as metadata, is not counted.
    blackHole(make())
    let before = benchmark_heap_in_use()
    for _ in 0..<count { objects.append(make()) }
    let after = benchmark_heap_in_use()
    return withExtendedLifetime(objects) { Double(after) - Double(before) } / Double(count)
  }
}

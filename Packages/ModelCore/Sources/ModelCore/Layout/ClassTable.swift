@_spi(ModelKitInternals) import FieldKit
public import Synchronization

/// A table of values by class, read without a lock because every new model is looked up in it. Values are never
/// removed.
@_spi(ModelKitInternals)
public final class ClassTable<Value: AnyObject & Sendable>: @unchecked Sendable {
  // Sendable is proven by construction. Buckets are atomics that hold immutable entries. An entry is added under the
  // lock, published with release semantics, and released with the table.
  @usableFromInline typealias Bucket = Atomic<Unmanaged<Entry>?>

  @usableFromInline
  final class Entry: Sendable {
    @usableFromInline let key: ObjectIdentifier
    @usableFromInline let value: Value
    @usableFromInline let next: Entry?

    init(key: ObjectIdentifier, value: Value, next: Entry?) {
      self.key = key
      self.value = value
      self.next = next
    }
  }

  @usableFromInline let buckets: UnsafeMutablePointer<Bucket>
  @usableFromInline let bucketCount: Int
  private let adding = Lock(())

  /// Creates a table.
  ///
  /// - Parameter bucketCount: the number of buckets, a power of 2.
  public init(bucketCount: Int) {
    self.bucketCount = bucketCount
    buckets = .allocate(capacity: bucketCount)
    for index in 0..<bucketCount { (buckets + index).initialize(to: Bucket(nil)) }
  }

  deinit {
    for index in 0..<bucketCount { buckets[index].load(ordering: .acquiring)?.release() }
    buckets.deinitialize(count: bucketCount)
    buckets.deallocate()
  }

  /// The value of a class; nil if there is none.
  @inlinable
  public subscript(key: ObjectIdentifier) -> Value? {
    var next = bucket(of: key).pointee.load(ordering: .acquiring)?.takeUnretainedValue()
    while let entry = next {
      if entry.key == key { return entry.value }
      next = entry.next
    }
    return nil
  }

  /// Adds the value of a class, unless another thread added one first.
  ///
  /// - Returns: the value that is in the table.
  @discardableResult
  public func add(_ value: Value, for key: ObjectIdentifier) -> Value {
    let bucket = bucket(of: key)
    return adding.withLock { _ in
      if let first = self[key] { return first }
      let old = bucket.pointee.load(ordering: .acquiring)
      let entry = Entry(key: key, value: value, next: old?.takeUnretainedValue())
      bucket.pointee.store(Unmanaged.passRetained(entry), ordering: .releasing)
      // The new entry retains it.
      old?.release()
      return value
    }
  }

  @inlinable
  @inline(__always)
  func bucket(of key: ObjectIdentifier) -> UnsafeMutablePointer<Bucket> {
    // The standard hash is not needed: addresses of classes are not an input of an attacker.
    let hash = (UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15) &>> 40
    return buckets + (Int(truncatingIfNeeded: hash) & (bucketCount - 1))
  }
}

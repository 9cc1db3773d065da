@_spi(ModelKitInternals) import FieldKit
import Synchronization

/// What is known of classes, found without a lock: it is asked for every model that is made.
final class ClassTable<Value: AnyObject & Sendable>: @unchecked Sendable {
  // Sendable is proven by construction: buckets are atomics that lead to immutable entries, which are put in under the
  // lock, published with release semantics and not released before the table is.
  private typealias Bucket = Atomic<Unmanaged<Entry>?>

  private final class Entry: Sendable {
    let key: ObjectIdentifier
    let value: Value
    let next: Entry?

    init(key: ObjectIdentifier, value: Value, next: Entry?) {
      self.key = key
      self.value = value
      self.next = next
    }
  }

  private let buckets: UnsafeMutablePointer<Bucket>
  private let bucketCount: Int
  private let adding = Lock(())

  /// Creates a table.
  ///
  /// - Parameter bucketCount: how many buckets there are, a power of 2.
  init(bucketCount: Int) {
    self.bucketCount = bucketCount
    buckets = .allocate(capacity: bucketCount)
    for index in 0..<bucketCount { (buckets + index).initialize(to: Bucket(nil)) }
  }

  deinit {
    for index in 0..<bucketCount { buckets[index].load(ordering: .acquiring)?.release() }
    buckets.deinitialize(count: bucketCount)
    buckets.deallocate()
  }

  /// What is known of a class; nil if nothing.
  subscript(key: ObjectIdentifier) -> Value? {
    var next = bucket(of: key).pointee.load(ordering: .acquiring)?.takeUnretainedValue()
    while let entry = next {
      if entry.key == key { return entry.value }
      next = entry.next
    }
    return nil
  }

  /// Adds what is known of a class, unless another thread was faster.
  ///
  /// - Returns: what stands.
  @discardableResult
  func add(_ value: Value, for key: ObjectIdentifier) -> Value {
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

  @inline(__always)
  private func bucket(of key: ObjectIdentifier) -> UnsafeMutablePointer<Bucket> {
    // Not the standard hash: nobody chooses the addresses of classes to make this slow.
    let hash = (UInt64(UInt(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15) &>> 40
    return buckets + (Int(truncatingIfNeeded: hash) & (bucketCount - 1))
  }
}

import Synchronization

/// A table of immutable objects that are shared in the whole process, such as the declaration of the field `age` of
/// every `Person`.
///
/// Entries stay for ever, so the table has a capacity. Up to half of it, an object is stored at its first request.
/// Above, it is stored at its second, so that generated names do not displace declared ones. An object that is not
/// stored works as well, and belongs to its requester alone.
///
/// - Complexity: O(1) for a lookup, without a lock.
final class InternTable: @unchecked Sendable {
  // Sendable is proven by construction: buckets are atomics that point to immutable entries, and new entries are added
  // under the lock. Entries stay as long as the table, so every reader may use them. Stored objects have to be
  // immutable and made of Sendable values; see the callers of `object(for:make:)`.
  private typealias Bucket = Atomic<Unmanaged<InternEntry>?>

  /// The one table of the process.
  static let shared = InternTable(capacity: 8_192)

  private struct Admission: Sendable {
    var count = 0
    /// The hashes of recent requests that were not admitted.
    var seen: [UInt64] = []
    var random: UInt64 = 1
  }

  private let capacity: Int
  private let bucketCount: Int
  private let buckets: UnsafeMutablePointer<Bucket>
  private let admission = Lock(Admission())

  /// Creates an empty table.
  ///
  /// - Parameter capacity: the largest number of objects.
  init(capacity: Int) {
    self.capacity = capacity
    var bucketCount = 16
    while bucketCount < capacity / 2 { bucketCount *= 2 }
    self.bucketCount = bucketCount
    buckets = .allocate(capacity: bucketCount)
    for index in 0..<bucketCount { (buckets + index).initialize(to: Bucket(nil)) }
  }

  deinit {
    for index in 0..<bucketCount {
      var next = buckets[index].load(ordering: .acquiring)
      while let entry = next {
        next = entry.takeUnretainedValue().next
        entry.release()
      }
    }
    buckets.deinitialize(count: bucketCount)
    buckets.deallocate()
  }

  /// The number of objects.
  var count: Int { admission.withLock { $0.count } }

  /// Returns the object with a key, or nil.
  func find(_ key: InternKey) -> AnyObject? {
    find(key.numbers, key.firstText, key.secondText, hash: key.hash)
  }

  /// Returns the object with a key of numbers alone, or nil.
  @inline(__always)
  func find(_ numbers: InternKey.Numbers) -> AnyObject? {
    let hash = numbers.hash
    var next = buckets[Int(truncatingIfNeeded: hash) & (bucketCount - 1)].load(ordering: .acquiring)
    while let entry = next {
      // An entry stays as long as the table: to retain it for the lookup would cost more than the lookup.
      let found = entry._withUnsafeGuaranteedRef { $0.key.numbers.matches(numbers) ? $0.object : nil }
      if let found { return found }
      next = entry._withUnsafeGuaranteedRef { $0.next }
    }
    return nil
  }

  @inline(__always)
  func find(_ numbers: InternKey.Numbers, _ firstText: String?, _ secondText: String?, hash: UInt64) -> AnyObject? {
    var next = buckets[Int(truncatingIfNeeded: hash) & (bucketCount - 1)].load(ordering: .acquiring)
    while let entry = next {
      let found = entry._withUnsafeGuaranteedRef {
        $0.key.hash == hash && $0.key.numbers.matches(numbers) && $0.key.firstText == firstText
          && $0.key.secondText == secondText ? $0.object : nil
      }
      if let found { return found }
      next = entry._withUnsafeGuaranteedRef { $0.next }
    }
    return nil
  }

  /// Returns the object with a key, and creates it if there is none.
  ///
  /// - Parameters:
  ///   - key: must belong to one class of objects only.
  ///   - make: creates the object, which must be immutable and safe in all threads. Its argument is whether the object
  ///     will be shared and kept for ever.
  func object<Object: AnyObject>(for key: InternKey, make: (_ isShared: Bool) -> Object) -> Object {
    if let found = find(key) { return unsafeDowncast(found, to: Object.self) }
    guard admits(key.hash) else { return make(false) }
    let made = make(true)
    return unsafeDowncast(insert(key, made), to: Object.self)
  }

  private func admits(_ hash: UInt64) -> Bool {
    admission.withLock { state in
      if state.count >= capacity { return false }
      if state.count < capacity / 2 { return true }
      if state.seen.isEmpty { state.seen = Array(repeating: 0, count: 1_024) }
      let slot = Int(truncatingIfNeeded: hash &>> 32) & 1_023
      if state.seen[slot] == hash { return true }
      // Two hashes with the same slot would replace each other for ever; a random choice ends that.
      state.random = state.random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      if state.seen[slot] == 0 || state.random &>> 63 == 0 { state.seen[slot] = hash }
      return false
    }
  }

  private func insert(_ key: InternKey, _ object: AnyObject) -> AnyObject {
    let bucket = buckets + (Int(truncatingIfNeeded: key.hash) & (bucketCount - 1))
    let made = InternEntry(key: key, object: object)
    let entry = admission.withLock { state in
      let first = bucket.pointee.load(ordering: .acquiring)
      var next = first
      while let entry = next {
        let entry = entry.takeUnretainedValue()
        // Another thread was faster.
        if entry.key.matches(key) { return entry }
        next = entry.next
      }
      made.next = first
      state.count += 1
      bucket.pointee.store(Unmanaged.passRetained(made), ordering: .releasing)
      return made
    }
    return entry.object
  }
}

// The functions below are called by code that is inlined into other modules.

/// Returns the object with a key in the table of the process, or nil.
@usableFromInline
func sharedObject(for numbers: InternKey.Numbers) -> AnyObject? { InternTable.shared.find(numbers) }

/// Returns the object with a key in the table of the process, or nil.
@usableFromInline
func sharedObject(for numbers: InternKey.Numbers, _ firstText: String?, _ secondText: String?) -> AnyObject? {
  let numbers = InternKey.Numbers(numbers, hasTexts: true)
  let hash = InternKey.hash(of: numbers, firstText, secondText)
  return InternTable.shared.find(numbers, firstText, secondText, hash: hash)
}

/// An entry of an ``InternTable``.
private final class InternEntry: @unchecked Sendable {
  // Sendable because nothing changes once other threads can see it. `next` is set before the entry is published with
  // release semantics, and `object` is immutable by the contract of `object(for:make:)`.
  let key: InternKey
  let object: AnyObject
  var next: Unmanaged<InternEntry>?

  init(key: InternKey, object: AnyObject) {
    self.key = key
    self.object = object
  }
}

import Synchronization

/// Immutable things of which one is enough for the whole process, such as what the field `age` of every `Person` is
/// declared to be.
///
/// What is in it stays for ever, so it takes only so many things. As long as there is room, a thing gets in at once; when
/// half of it is full, only what is wanted a second time does, so that generated names don't take the place of declared
/// ones. What doesn't get in works as well, and belongs to whom it was made for.
///
/// - Complexity: O(1) to find a thing, without a lock.
final class InternTable: @unchecked Sendable {
  // Sendable is proven by construction: buckets are atomics that lead to immutable entries, new ones are put in under the
  // lock, and entries live as long as the table, so whoever found one can read it. What is put in has to be immutable
  // and made of Sendable values; see the callers of `object(for:make:)`.
  private typealias Bucket = Atomic<Unmanaged<InternEntry>?>

  /// The one table of the process.
  static let shared = InternTable(capacity: 8_192)

  private struct Admission: Sendable {
    var count = 0
    /// Hashes of what was wanted lately and not let in.
    var seen: [UInt64] = []
    var random: UInt64 = 1
  }

  private let capacity: Int
  private let bucketCount: Int
  private let buckets: UnsafeMutablePointer<Bucket>
  private let admission = Lock(Admission())

  /// Makes an empty table.
  ///
  /// - Parameter capacity: how many things there may be at most.
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

  /// How many things there are.
  var count: Int { admission.withLock { $0.count } }

  /// The thing with a key, or nil.
  func find(_ key: InternKey) -> AnyObject? {
    find(key.numbers, key.firstText, key.secondText, hash: key.hash)
  }

  /// The thing with a key of numbers alone, or nil.
  @inline(__always)
  func find(_ numbers: InternKey.Numbers) -> AnyObject? {
    let hash = numbers.hash
    var next = buckets[Int(truncatingIfNeeded: hash) & (bucketCount - 1)].load(ordering: .acquiring)
    while let entry = next {
      // An entry lives as long as the table: to retain it for the look would cost more than the look.
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

  /// The thing with a key. Makes it if there is none.
  ///
  /// - Parameters:
  ///   - key: must belong to one class of objects only.
  ///   - make: makes the thing, which must be immutable and safe to use in all threads; its argument says whether the
  ///     thing is going to be shared and live for ever.
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
      // Two hashes that want the same slot in turn would keep each other out for ever, if it were not left to chance.
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

// What is inlined into users' modules begins here.

/// The thing with a key in the table of the process, or nil.
@usableFromInline
func sharedObject(for numbers: InternKey.Numbers) -> AnyObject? { InternTable.shared.find(numbers) }

/// The thing with a key in the table of the process, or nil.
@usableFromInline
func sharedObject(for numbers: InternKey.Numbers, _ firstText: String?, _ secondText: String?) -> AnyObject? {
  let numbers = InternKey.Numbers(numbers, hasTexts: true)
  let hash = InternKey.hash(of: numbers, firstText, secondText)
  return InternTable.shared.find(numbers, firstText, secondText, hash: hash)
}

/// One thing in an ``InternTable``.
private final class InternEntry: @unchecked Sendable {
  // Sendable because nothing changes once other threads can see it: `next` is set before the entry is published with
  // release semantics, and `object` is immutable by the contract of `object(for:make:)`.
  let key: InternKey
  let object: AnyObject
  var next: Unmanaged<InternEntry>?

  init(key: InternKey, object: AnyObject) {
    self.key = key
    self.object = object
  }
}

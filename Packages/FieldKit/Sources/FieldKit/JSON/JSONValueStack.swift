/// A stack of values that are moved in and out without being retained.
struct JSONValueStack: ~Copyable {
  private var base = UnsafeMutablePointer<JSONValue>.allocate(capacity: 64)
  private var capacity = 64
  private(set) var count = 0

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }

  mutating func append(_ value: consuming JSONValue) {
    if count == capacity { grow() }
    (base + count).initialize(to: value)
    count &+= 1
  }

  /// Moves the values from `start` on into an array.
  mutating func removeArray(from start: Int) -> [JSONValue] {
    let length = count - start
    let source = base + start
    count = start
    // Creating an empty array in this way would write to the shared empty array, which is a data race.
    guard length > 0 else { return [] }
    return Array(unsafeUninitializedCapacity: length) { buffer, initializedCount in
      buffer.baseAddress?.moveInitialize(from: source, count: length)
      initializedCount = length
    }
  }

  /// Moves the values from `start` on out one by one, with their index from 0.
  mutating func removeLast(from start: Int, _ body: (Int, consuming JSONValue) -> Void) {
    let length = count - start
    let source = base + start
    count = start
    for index in 0..<length { body(index, (source + index).move()) }
  }

  mutating func removeAll() {
    base.deinitialize(count: count)
    count = 0
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<JSONValue>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}

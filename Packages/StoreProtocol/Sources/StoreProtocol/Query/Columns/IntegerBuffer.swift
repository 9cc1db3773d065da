/// Integers in memory of their own. An array would check before each append whether another one shares its memory.
struct IntegerBuffer: ~Copyable {
  private var base: UnsafeMutablePointer<Int>
  private var capacity: Int
  private var count = 0

  init() { (base, capacity) = (.allocate(capacity: 16), 16) }

  /// Creates a buffer with the elements of an array.
  init(_ integers: [Int]) {
    self.init()
    reserve(integers.count)
    for integer in integers { append(integer) }
  }

  deinit { base.deallocate() }

  /// Reserves memory for a number of integers.
  mutating func reserve(_ wanted: Int) {
    if wanted <= capacity { return }
    let larger = UnsafeMutablePointer<Int>.allocate(capacity: wanted)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    (base, capacity) = (larger, wanted)
  }

  @inline(__always)
  mutating func append(_ integer: Int) {
    if count == capacity { reserve(2 * capacity) }
    (base + count).initialize(to: integer)
    count &+= 1
  }

  /// Moves the last integer to another place.
  mutating func moveLast(to index: Int) {
    precondition(index >= 0 && index < count - 1)
    count -= 1
    base[index] = base[count]
  }

  /// A copy as an array.
  var array: [Int] { Array(UnsafeBufferPointer(start: base, count: count)) }
}

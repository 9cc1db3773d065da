/// A hash table of object addresses by number, with open addressing.
///
/// Consecutive numbers, as most identifiers are, are adjacent in groups of eight. A document that lists them in order
/// has one cache miss for several of them. The start of each group is random in each process, so that no one can choose
/// colliding identifiers.
///
/// A number whose slot is occupied is moved nine slots on, to the next group. With single steps it would probe all
/// eight slots of the group. Nine and the capacity, a power of two, have no common divisor, so every slot is probed.
final class PointerTable {
  private struct Slot {
    var number = 0
    /// Nil for an empty slot.
    var object: UnsafeMutableRawPointer?
  }

  private static let minimumCapacity = 16
  private static let step = 9
  /// The multiplicative inverse of nine modulo any power of two.
  private static let inverseOfStep = Int(truncatingIfNeeded: 0x8E38_E38E_38E3_8E39 as UInt64)
  private static let seed = UInt64.random(in: .min ... .max)
  private static let multiplier = UInt64.random(in: .min ... .max) | 1

  private let seed = PointerTable.seed
  private let multiplier = PointerTable.multiplier
  private var slots: UnsafeMutablePointer<Slot>
  /// A power of two.
  private(set) var capacity: Int
  private(set) var count = 0

  init() {
    capacity = Self.minimumCapacity
    slots = Self.emptySlots(capacity)
  }

  deinit { slots.deallocate() }

  private static func emptySlots(_ count: Int) -> UnsafeMutablePointer<Slot> {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot(), count: count)
    return slots
  }

  @inline(__always)
  private func home(of number: Int) -> Int {
    // Two multiplications, with high bits mixed into low ones: a single product puts groups at regular distances, and
    // unlucky distances cause long runs.
    var hash = (UInt64(bitPattern: Int64(number >> 3)) ^ seed) &* multiplier
    hash = (hash ^ hash &>> 32) &* multiplier
    hash ^= hash &>> 32
    // Exclusive or keeps a group together, and numbers with the same last bits apart.
    return (Int(truncatingIfNeeded: hash) ^ (number & 7)) & (capacity &- 1)
  }

  /// Returns the number of steps from one slot to another.
  private func steps(from start: Int, to end: Int) -> Int {
    ((end &- start) &* Self.inverseOfStep) & (capacity &- 1)
  }

  /// Returns the slot of a number, or the empty one in which it would be stored.
  @inline(__always)
  private func slot(of number: Int) -> Int {
    var slot = home(of: number)
    while slots[slot].object != nil, slots[slot].number != number { slot = (slot &+ Self.step) & (capacity &- 1) }
    return slot
  }

  /// - Complexity: O(1) on average.
  subscript(number: Int) -> UnsafeMutableRawPointer? { slots[slot(of: number)].object }

  /// Stores an object in an empty slot, or replaces one.
  ///
  /// - Parameter keeps: returns whether the stored object stays.
  /// - Complexity: O(1) on average, amortized.
  @inline(__always)
  func put(_ object: UnsafeMutableRawPointer, at number: Int, unless keeps: (UnsafeMutableRawPointer) -> Bool) {
    let slot = slot(of: number)
    if let known = slots[slot].object {
      if !keeps(known) { slots[slot].object = object }
      return
    }
    guard count &+ 1 <= capacity / 2 &+ capacity / 8 else {
      resize(to: 2 * capacity)
      slots[self.slot(of: number)] = Slot(number: number, object: object)
      count += 1
      return
    }
    slots[slot] = Slot(number: number, object: object)
    count += 1
  }

  /// Removes an object, if it is stored.
  ///
  /// - Complexity: O(1) on average, amortized.
  func remove(_ object: UnsafeMutableRawPointer, at number: Int) {
    let slot = slot(of: number)
    if slots[slot].object == object { removeSlot(slot) }
  }

  /// Removes the object under a number.
  func remove(at number: Int) {
    let slot = slot(of: number)
    if slots[slot].object != nil { removeSlot(slot) }
  }

  private func removeSlot(_ slot: Int) {
    let mask = capacity &- 1
    var (hole, next) = (slot, (slot &+ Self.step) & mask)
    // Moves up the entries that were displaced by the removed one.
    while slots[next].object != nil {
      if steps(from: home(of: slots[next].number), to: next) >= steps(from: hole, to: next) {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next &+ Self.step) & mask
    }
    slots[hole] = Slot()
    count -= 1
    if count < capacity / 16, capacity > Self.minimumCapacity { resize(to: capacity / 4) }
  }

  /// Reserves capacity for objects that are about to be added.
  func reserveCapacity(_ additional: Int) {
    var wanted = capacity
    while wanted / 2 < count + additional { wanted *= 2 }
    if wanted > capacity { resize(to: wanted) }
  }

  private func resize(to newCapacity: Int) {
    let (old, oldCapacity) = (slots, capacity)
    capacity = max(newCapacity, Self.minimumCapacity)
    slots = Self.emptySlots(capacity)
    for index in 0..<oldCapacity where old[index].object != nil { slots[slot(of: old[index].number)] = old[index] }
    old.deallocate()
  }
}

/// Where objects are, by number: open addressing.
///
/// Numbers that follow each other, as identifiers mostly do, lie next to each other in groups of eight, so that a document
/// that lists them in order has one miss of the cache for several of them. Where a group begins is random in each process,
/// and nobody can choose identifiers that collide.
///
/// A number whose slot is taken goes nine slots further, to the next group: one by one it would meet all eight of the group
/// that is in its way. Nine and the capacity, a power of two, have no divisor in common, so every slot is reached.
final class PointerTable {
  private struct Slot {
    var number = 0
    /// Nil for an empty slot.
    var object: UnsafeMutableRawPointer?
  }

  private static let minimumCapacity = 16
  private static let step = 9
  /// What nine is to be multiplied by to give one, in arithmetic modulo any power of two.
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
    // Twice, with what mixes high bits into low ones: one product alone puts groups at regular distances, and where these
    // are unlucky the groups lie in long rows.
    var hash = (UInt64(bitPattern: Int64(number >> 3)) ^ seed) &* multiplier
    hash = (hash ^ hash &>> 32) &* multiplier
    hash ^= hash &>> 32
    // Exclusive or keeps a group together, and numbers with the same last bits apart.
    return (Int(truncatingIfNeeded: hash) ^ (number & 7)) & (capacity &- 1)
  }

  /// After how many steps one comes from a slot to another.
  private func steps(from start: Int, to end: Int) -> Int {
    ((end &- start) &* Self.inverseOfStep) & (capacity &- 1)
  }

  /// The slot of a number, or the empty one where it would be.
  @inline(__always)
  private func slot(of number: Int) -> Int {
    var slot = home(of: number)
    while slots[slot].object != nil, slots[slot].number != number { slot = (slot &+ Self.step) & (capacity &- 1) }
    return slot
  }

  /// - Complexity: O(1) on average.
  subscript(number: Int) -> UnsafeMutableRawPointer? { slots[slot(of: number)].object }

  /// Puts an object where there is none, or where one is that may be replaced.
  ///
  /// - Parameter keeps: whether the object that is there stays.
  /// - Complexity: O(1) on average, spread over many calls.
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

  /// Removes an object, if it is there.
  ///
  /// - Complexity: O(1) on average, spread over many calls.
  func remove(_ object: UnsafeMutableRawPointer, at number: Int) {
    let slot = slot(of: number)
    if slots[slot].object == object { removeSlot(slot) }
  }

  /// Removes what is there.
  func remove(at number: Int) {
    let slot = slot(of: number)
    if slots[slot].object != nil { removeSlot(slot) }
  }

  private func removeSlot(_ slot: Int) {
    let mask = capacity &- 1
    var (hole, next) = (slot, (slot &+ Self.step) & mask)
    // What was put behind this one because it was there moves up.
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

  /// Makes room for objects that are about to be added.
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

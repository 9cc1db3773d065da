/// What nodes should look like: the rules of relations, of who keeps whom, of what is to be saved and of what can be gone
/// back to, in their plainest form, for eight nodes that are numbered from 0.
struct ReferenceGraph {
  /// One relation of one node.
  struct Place: Hashable {
    let node: Int
    let side: Side

    var index: Int { node << 3 + side.rawValue }
  }

  struct Link: Hashable {
    let place: Place
    let other: Int
  }

  /// What a relation was when it was last read or saved.
  struct Original {
    var list: [Int]
    var isNil: Bool
    var retained: Numbers
    /// Whether all that is left of what it led to is the identifier.
    var isLost = false
  }

  struct Entry {
    var list: [Int] = []
    /// Whether it is nil, which is something else than empty.
    var isNil = false
    /// Which of the nodes are kept alive by this side of the link.
    var retained = Numbers()
    var isDirty = false
    var original: Original?
    /// What it led to before it was unloaded.
    var former = Numbers()
  }

  private(set) var entries = Array(repeating: Entry(), count: 64)
  private(set) var alive = Numbers()
  /// The nodes that the test holds.
  var held = Numbers()
  private(set) var new = Numbers()
  /// Nodes whose identifier was changed.
  private var renamed = Numbers()
  /// The places that the operation under way may have changed, by their indexes.
  private(set) var touched = Numbers()

  func list(_ node: Int, _ side: Side) -> [Int] { entries[Place(node: node, side: side).index].list }

  func isNil(_ node: Int, _ side: Side) -> Bool { entries[Place(node: node, side: side).index].isNil }

  func isDirty(_ node: Int, _ side: Side) -> Bool { entries[Place(node: node, side: side).index].isDirty }

  /// What the relation leads to once it is reverted.
  func listToRevertTo(_ node: Int, _ side: Side) -> [Int] {
    let index = Place(node: node, side: side).index
    return entries[index].original?.list ?? entries[index].list
  }

  func differs(from other: ReferenceGraph, at index: Int) -> Bool {
    entries[index].isNil != other.entries[index].isNil || entries[index].list != other.entries[index].list
  }

  func isUnsaved(_ node: Int) -> Bool {
    new.contains(node) || renamed.contains(node) || (node << 3..<node << 3 + 8).contains { entries[$0].isDirty }
  }

  /// Whether a node that is gone is what another one goes back to.
  func isRemembered(_ node: Int) -> Bool {
    entries.contains { entry in entry.original.map { $0.isLost && $0.list.contains(node) } ?? false }
  }

  // MARK: Operations

  mutating func make(_ node: Int, isNew: Bool) {
    alive.insert(node)
    if isNew { new.insert(node) }
  }

  mutating func changeIdentifier(_ node: Int) {
    touched = Numbers()
    renamed.insert(node)
  }

  /// Begins an operation that changes no relation.
  mutating func changeNothing() { touched = Numbers() }

  mutating func save(_ node: Int) {
    touched = Numbers()
    new.remove(node)
    renamed.remove(node)
    for index in node << 3..<node << 3 + 8 { markClean(index) }
  }

  mutating func assign(_ node: Int, _ side: Side, _ others: [Int]?, isRead: Bool = false) {
    change(isRead: isRead) { $0.set(node, side, others, isRead) }
    if isRead { markClean(Place(node: node, side: side).index) }
  }

  mutating func add(_ node: Int, _ side: Side, _ others: [Int]) {
    change { for other in others { $0.link(node, side, other, false) } }
  }

  mutating func remove(_ node: Int, _ side: Side, _ others: [Int]) {
    change { for other in others { $0.cut(node, side, other, false) } }
  }

  /// A node that is gone is met again, as the end of a link, by its identifier.
  mutating func revive(_ node: Int, metBy other: Int, _ side: Side) {
    alive.insert(node)
    link(other, side, node, true)
  }

  mutating func unload(_ node: Int) {
    touched = Numbers()
    for side in Side.allCases {
      let index = Place(node: node, side: side).index
      touched.insert(index)
      var former = entries[index].former
      for other in entries[index].list { former.insert(other) }
      entries[index] = Entry(isNil: side.isMany, former: former)
    }
  }

  /// - Returns: the nodes that were gone, and are met again.
  mutating func revert(_ node: Int) -> [Link] {
    var revived: [Link] = []
    var all = Numbers()
    if !new.contains(node) { renamed.remove(node) }
    for side in Side.allCases {
      let place = Place(node: node, side: side)
      guard entries[place.index].isDirty, let original = entries[place.index].original else { continue }
      for other in original.list where !alive.contains(other) {
        alive.insert(other)
        revived.append(Link(place: place, other: other))
      }
      change { $0.set(node, side, original.isNil ? nil : original.list, false) }
      for index in touched where index != place.index { settle(index) }
      markClean(place.index)
      all.formUnion(touched)
    }
    touched = all
    return revived
  }

  /// Says that a relation has no local change if it leads to what it led to, in whatever order.
  private mutating func settle(_ index: Int) {
    guard entries[index].isDirty, let original = entries[index].original, !original.isLost,
      original.list.sorted() == entries[index].list.sorted()
    else { return }
    entries[index].list = original.list
    entries[index].isNil = original.isNil
    markClean(index)
  }

  private mutating func markClean(_ index: Int) {
    entries[index].isDirty = false
    entries[index].original = nil
  }

  // MARK: Life and death

  /// Nodes die that nobody retains: not the test, not the scope, and no link.
  ///
  /// - Returns: the links to one that now lead nowhere.
  mutating func bury() -> [Link] {
    var dangling: [Link] = []
    while let dead = nextToDie() {
      alive.remove(dead)
      for side in Side.allCases { entries[Place(node: dead, side: side).index] = Entry() }
      for node in alive {
        for side in Side.allCases {
          let place = Place(node: node, side: side)
          if forget(dead, at: place) { dangling.append(Link(place: place, other: dead)) }
        }
      }
    }
    return dangling.filter { alive.contains($0.place.node) }
  }

  /// - Returns: whether the node was what a relation to one led to.
  private mutating func forget(_ dead: Int, at place: Place) -> Bool {
    let index = place.index
    entries[index].former.remove(dead)
    if entries[index].original?.list.contains(dead) == true {
      if place.side.isMany {
        entries[index].original?.list.removeAll { $0 == dead }
      } else {
        entries[index].original?.isLost = true
      }
    }
    return drop(dead, at: index) && !place.side.isMany
  }

  private func nextToDie() -> Int? {
    var kept = held
    for index in entries.indices {
      kept.formUnion(entries[index].retained)
      if let original = entries[index].original { kept.formUnion(original.retained) }
    }
    return alive.first { !kept.contains($0) && !isUnsaved($0) }
  }

  // MARK: Links

  private mutating func change(isRead: Bool = false, _ body: (inout ReferenceGraph) -> Void) {
    let before = self
    touched = Numbers()
    body(&self)
    if isRead { return }
    for index in touched where differs(from: before, at: index) && before.alive.contains(index >> 3) {
      if !entries[index].isDirty, !new.contains(index >> 3) {
        let entry = before.entries[index]
        entries[index].original = Original(list: entry.list, isNil: entry.isNil, retained: entry.retained)
      }
      entries[index].isDirty = true
    }
  }

  private mutating func set(_ node: Int, _ side: Side, _ others: [Int]?, _ isRead: Bool) {
    var unique: [Int] = []
    for other in others ?? [] where !unique.contains(other) { unique.append(other) }
    for old in list(node, side) where !unique.contains(old) { cut(node, side, old, isRead) }
    // To set nil where there is nil says nothing about who is on the other side.
    if others != nil || isRead || !isNil(node, side) { cutFormer(node, side, except: unique, isRead) }
    for other in unique { link(node, side, other, isRead) }
    let index = Place(node: node, side: side).index
    touched.insert(index)
    entries[index].list = unique
    entries[index].isNil = others == nil
  }

  private mutating func link(_ node: Int, _ side: Side, _ other: Int, _ isRead: Bool) {
    let one = Place(node: node, side: side).index
    let two = Place(node: other, side: side.inverse).index
    guard !entries[one].list.contains(other) else { return }
    if !side.isMany, let old = entries[one].list.first { cut(node, side, old, isRead) }
    append(other, at: one)
    let isKept = entries[two].retained.contains(node) || entries[two].original?.retained.contains(node) == true
    if !isKept { entries[one].retained.insert(other) }
    if entries[two].list.contains(node) { return }
    if !side.inverse.isMany, let old = entries[two].list.first { cut(other, side.inverse, old, isRead) }
    if !side.inverse.isMany { cutFormer(other, side.inverse, except: [node], isRead) }
    append(node, at: two)
    if isKept { entries[two].retained.insert(node) }
    guard isRead, let original = entries[two].original else { return }
    // What is read of the other side is nothing to be undone here.
    if !side.inverse.isMany {
      entries[two].original = Original(list: [node], isNil: false, retained: Numbers())
    } else if !original.list.contains(node) {
      entries[two].original?.list.append(node)
      entries[two].original?.isNil = false
    }
  }

  private mutating func append(_ other: Int, at index: Int) {
    touched.insert(index)
    entries[index].list.append(other)
    entries[index].isNil = false
  }

  private mutating func cut(_ node: Int, _ side: Side, _ other: Int, _ isRead: Bool) {
    let two = Place(node: other, side: side.inverse).index
    guard drop(other, at: Place(node: node, side: side).index), drop(node, at: two) else { return }
    forgetIfRead(node, at: two, isRead)
  }

  /// Once one side of an unloaded relation is known anew, the other one follows.
  private mutating func cutFormer(_ node: Int, _ side: Side, except others: [Int], _ isRead: Bool) {
    let index = Place(node: node, side: side).index
    for other in entries[index].former where !others.contains(other) {
      let two = Place(node: other, side: side.inverse).index
      if drop(node, at: two) { forgetIfRead(node, at: two, isRead) }
    }
    entries[index].former = Numbers()
  }

  private mutating func forgetIfRead(_ node: Int, at two: Int, _ isRead: Bool) {
    guard isRead, entries[two].original?.isLost == false else { return }
    entries[two].original?.list.removeAll { $0 == node }
    entries[two].original?.retained.remove(node)
  }

  private mutating func drop(_ other: Int, at index: Int) -> Bool {
    guard let position = entries[index].list.firstIndex(of: other) else { return false }
    touched.insert(index)
    entries[index].list.remove(at: position)
    entries[index].retained.remove(other)
    return true
  }
}

/// A set of small numbers.
struct Numbers: Sequence {
  private var bits: UInt64 = 0

  func contains(_ number: Int) -> Bool { bits & 1 << UInt64(number) != 0 }

  mutating func insert(_ number: Int) { bits |= 1 << UInt64(number) }

  mutating func remove(_ number: Int) { bits &= ~(1 << UInt64(number)) }

  mutating func formUnion(_ other: Numbers) { bits |= other.bits }

  func makeIterator() -> AnyIterator<Int> {
    var rest = bits
    return AnyIterator {
      guard rest != 0 else { return nil }
      defer { rest &= rest &- 1 }
      return rest.trailingZeroBitCount
    }
  }
}

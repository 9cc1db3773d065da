/// A plain model of the rules of relations, retention, unsaved changes and baselines, for eight nodes numbered from 0.
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

  /// The baseline of a relation.
  struct Original {
    var list: [Int]
    var isNil: Bool
    var isLoaded: Bool
    var retained: Numbers
    /// Whether only the identifier of the related node is left.
    var isLost = false
  }

  struct Entry {
    var list: [Int] = []
    /// Whether the value is nil, which differs from empty.
    var isNil = false
    /// Whether the value was set or read. The first assignment is an edit, whatever its value.
    var isLoaded = false
    /// The nodes that this side of the link retains.
    var retained = Numbers()
    var isDirty = false
    var original: Original?
    /// The related nodes before it was unloaded.
    var former = Numbers()
  }

  private(set) var entries = Array(repeating: Entry(), count: 64)
  private(set) var alive = Numbers()
  /// The nodes that the test retains.
  var held = Numbers()
  private(set) var new = Numbers()
  /// The nodes whose identifier was changed.
  private var renamed = Numbers()
  /// The places that the current operation may have changed, by index.
  private(set) var touched = Numbers()

  func list(_ node: Int, _ side: Side) -> [Int] { entries[Place(node: node, side: side).index].list }

  func isNil(_ node: Int, _ side: Side) -> Bool { entries[Place(node: node, side: side).index].isNil }

  func isDirty(_ node: Int, _ side: Side) -> Bool { entries[Place(node: node, side: side).index].isDirty }

  /// Returns the related nodes of the relation after a revert.
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

  /// Returns whether a deallocated node is in the baseline of another one.
  func isRemembered(_ node: Int) -> Bool {
    entries.contains { entry in entry.original.map { $0.isLost && $0.list.contains(node) } ?? false }
  }

  // MARK: Operations

  mutating func make(_ node: Int, isNew: Bool) {
    if isNew {
      alive.insert(node)
      new.insert(node)
    } else {
      makeReference(node)
    }
  }

  /// Makes a node of which only the identifier is known, so that its lists are not empty but nil.
  private mutating func makeReference(_ node: Int) {
    guard !alive.contains(node) else { return }
    alive.insert(node)
    for side in Side.allCases where side.isMany { entries[Place(node: node, side: side).index].isNil = true }
  }

  mutating func changeIdentifier(_ node: Int) {
    touched = Numbers()
    renamed.insert(node)
  }

  /// Starts an operation that changes no relation.
  mutating func changeNothing() { touched = Numbers() }

  mutating func save(_ node: Int) {
    touched = Numbers()
    new.remove(node)
    renamed.remove(node)
    for index in node << 3..<node << 3 + 8 { markClean(index) }
  }

  mutating func assign(_ node: Int, _ side: Side, _ others: [Int]?, isRead: Bool = false) {
    let index = Place(node: node, side: side).index
    change(isRead: isRead, assigning: index) { $0.set(node, side, others, isRead) }
    if isRead { markClean(index) }
  }

  mutating func add(_ node: Int, _ side: Side, _ others: [Int]) {
    change { for other in others { $0.link(node, side, other, false) } }
  }

  mutating func remove(_ node: Int, _ side: Side, _ others: [Int]) {
    change { for other in others { $0.cut(node, side, other, false) } }
  }

  /// Creates a deallocated node again as the target of a link, by its identifier.
  mutating func revive(_ node: Int, metBy other: Int, _ side: Side) {
    makeReference(node)
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

  /// - Returns: the links to nodes that were deallocated, and are created again.
  mutating func revert(_ node: Int) -> [Link] {
    var revived: [Link] = []
    var all = Numbers()
    if !new.contains(node) { renamed.remove(node) }
    for side in Side.allCases { revert(Place(node: node, side: side), &revived, &all) }
    touched = all
    return revived
  }

  private mutating func revert(_ place: Place, _ revived: inout [Link], _ all: inout Numbers) {
    guard entries[place.index].isDirty, let original = entries[place.index].original else { return }
    let removed = entries[place.index].list.filter { !original.list.contains($0) }
    for other in original.list where !alive.contains(other) {
      makeReference(other)
      revived.append(Link(place: place, other: other))
    }
    change { $0.set(place.node, place.side, original.isNil ? nil : original.list, false) }
    for index in touched where index != place.index { settle(index) }
    markClean(place.index)
    entries[place.index].isLoaded = original.isLoaded
    all.formUnion(touched)
    // A node that is removed has its previous link again, unless that is another one's by now.
    for other in removed where !place.side.inverse.isMany {
      let link = Place(node: other, side: place.side.inverse)
      guard list(link.node, link.side).isEmpty, let former = entries[link.index].original?.list,
        place.side.isMany || former.allSatisfy({ list($0, place.side).isEmpty })
      else { continue }
      revert(link, &revived, &all)
    }
  }

  /// Marks a relation as clean if it equals its baseline in any order.
  private mutating func settle(_ index: Int) {
    guard entries[index].isDirty, let original = entries[index].original, !original.isLost,
      original.list.sorted() == entries[index].list.sorted()
    else { return }
    entries[index].list = original.list
    entries[index].isNil = original.isNil
    entries[index].isLoaded = original.isLoaded
    markClean(index)
  }

  private mutating func markClean(_ index: Int) {
    entries[index].isDirty = false
    entries[index].original = nil
  }

  // MARK: Deallocation

  /// Deallocates nodes without a reference from the test, the scope or a link.
  ///
  /// - Returns: the links whose target was deallocated.
  mutating func bury() -> [Link] {
    var dangling: [Link] = []
    while let dead = nextToDie() {
      alive.remove(dead)
      for side in Side.allCases { entries[Place(node: dead, side: side).index] = Entry() }
      for node in alive {
        for side in Side.allCases {
          let place = Place(node: node, side: side)
          if loseTarget(dead, at: place) { dangling.append(Link(place: place, other: dead)) }
        }
      }
    }
    return dangling.filter { alive.contains($0.place.node) }
  }

  /// - Returns: whether the node was the target of a to-one relation.
  private mutating func loseTarget(_ dead: Int, at place: Place) -> Bool {
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

  private mutating func change(
    isRead: Bool = false, assigning assigned: Int? = nil, _ body: (inout ReferenceGraph) -> Void
  ) {
    let before = self
    touched = Numbers()
    body(&self)
    if isRead { return }
    for index in touched where before.alive.contains(index >> 3) {
      let entry = before.entries[index]
      guard differs(from: before, at: index) || (index == assigned && !entry.isLoaded) else { continue }
      if !entries[index].isDirty, !new.contains(index >> 3) {
        entries[index].original = Original(
          list: entry.list, isNil: entry.isNil, isLoaded: entry.isLoaded, retained: entry.retained)
      }
      entries[index].isDirty = true
    }
  }

  private mutating func set(_ node: Int, _ side: Side, _ others: [Int]?, _ isRead: Bool) {
    var unique: [Int] = []
    for other in others ?? [] where !unique.contains(other) { unique.append(other) }
    for old in list(node, side) where !unique.contains(old) { cut(node, side, old, isRead) }
    cutFormer(node, side, except: unique, isRead)
    for other in unique { link(node, side, other, isRead) }
    let index = Place(node: node, side: side).index
    touched.insert(index)
    entries[index].list = unique
    entries[index].isNil = others == nil
    entries[index].isLoaded = true
  }

  private mutating func link(_ node: Int, _ side: Side, _ other: Int, _ isRead: Bool) {
    let one = Place(node: node, side: side).index
    let two = Place(node: other, side: side.inverse).index
    guard !entries[one].list.contains(other) else { return }
    if !side.isMany, let old = entries[one].list.first { cut(node, side, old, isRead) }
    append(other, at: one)
    let isKept = entries[two].retained.contains(node) || entries[two].original?.retained.contains(node) == true
    // A node does not retain itself.
    if !isKept, other != node { entries[one].retained.insert(other) }
    if entries[two].list.contains(node) { return }
    if !side.inverse.isMany, let old = entries[two].list.first { cut(other, side.inverse, old, isRead) }
    if !side.inverse.isMany { cutFormer(other, side.inverse, except: [node], isRead) }
    append(node, at: two)
    if isKept { entries[two].retained.insert(node) }
    guard isRead, let original = entries[two].original else { return }
    // Links that were read on the inverse are not undone here.
    if !side.inverse.isMany {
      entries[two].original = Original(list: [node], isNil: false, isLoaded: true, retained: Numbers())
    } else if !original.list.contains(node) {
      entries[two].original?.list.append(node)
      entries[two].original?.isNil = false
      entries[two].original?.isLoaded = true
    }
  }

  private mutating func append(_ other: Int, at index: Int) {
    touched.insert(index)
    entries[index].list.append(other)
    entries[index].isNil = false
    entries[index].isLoaded = true
  }

  private mutating func cut(_ node: Int, _ side: Side, _ other: Int, _ isRead: Bool) {
    let two = Place(node: other, side: side.inverse).index
    guard drop(other, at: Place(node: node, side: side).index), drop(node, at: two) else { return }
    dropBaseline(node, at: two, isRead)
  }

  /// Updates the inverses of an unloaded relation once one side is set or read again.
  private mutating func cutFormer(_ node: Int, _ side: Side, except others: [Int], _ isRead: Bool) {
    let index = Place(node: node, side: side).index
    for other in entries[index].former where !others.contains(other) {
      let two = Place(node: other, side: side.inverse).index
      if drop(node, at: two) { dropBaseline(node, at: two, isRead) }
    }
    entries[index].former = Numbers()
  }

  private mutating func dropBaseline(_ node: Int, at two: Int, _ isRead: Bool) {
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

/// What nodes should look like: the rules of relations, of who keeps whom, and of what is to be saved, in their plainest
/// form, for nodes that are numbered from 0.
struct ReferenceGraph {
  struct Place: Hashable {
    let node: Int
    let side: Side
  }

  struct Link: Hashable {
    let place: Place
    let other: Int
  }

  private(set) var lists: [Place: [Int]] = [:]
  /// The lists that are nil, which is something else than empty.
  private var nils: Set<Place> = []
  /// The links that keep the other node alive. Of the two sides of a link always one.
  private(set) var retained: Set<Link> = []
  private(set) var alive: Set<Int> = []
  /// The nodes that the test holds.
  var held: Set<Int> = []
  /// The relations of a node that were changed and not saved.
  private(set) var dirty: Set<Place> = []
  /// Nodes whose identifier was changed, or that are new.
  private(set) var otherwiseUnsaved: Set<Int> = []

  func list(_ node: Int, _ side: Side) -> [Int] { lists[Place(node: node, side: side)] ?? [] }

  func isNil(_ node: Int, _ side: Side) -> Bool { nils.contains(Place(node: node, side: side)) }

  func differs(from other: ReferenceGraph, at place: Place) -> Bool {
    lists[place] ?? [] != other.lists[place] ?? [] || nils.contains(place) != other.nils.contains(place)
  }

  func isUnsaved(_ node: Int) -> Bool {
    otherwiseUnsaved.contains(node) || Side.allCases.contains { dirty.contains(Place(node: node, side: $0)) }
  }

  // MARK: Operations

  mutating func make(_ node: Int, isNew: Bool) {
    alive.insert(node)
    if isNew { otherwiseUnsaved.insert(node) }
  }

  mutating func changeIdentifier(_ node: Int) { otherwiseUnsaved.insert(node) }

  mutating func save(_ node: Int) {
    otherwiseUnsaved.remove(node)
    for side in Side.allCases { dirty.remove(Place(node: node, side: side)) }
  }

  mutating func assign(_ node: Int, _ side: Side, _ others: [Int]?, isRead: Bool = false) {
    let before = self
    var unique: [Int] = []
    for other in others ?? [] where !unique.contains(other) { unique.append(other) }
    for old in list(node, side) where !unique.contains(old) { cut(node, side, old) }
    for other in unique { link(node, side, other) }
    lists[Place(node: node, side: side)] = unique
    nils.remove(Place(node: node, side: side))
    if others == nil { nils.insert(Place(node: node, side: side)) }
    markChanges(since: before, isRead)
    if isRead { dirty.remove(Place(node: node, side: side)) }
  }

  mutating func add(_ node: Int, _ side: Side, _ others: [Int]) {
    let before = self
    for other in others { link(node, side, other) }
    markChanges(since: before, false)
  }

  mutating func remove(_ node: Int, _ side: Side, _ others: [Int]) {
    let before = self
    for other in others { cut(node, side, other) }
    markChanges(since: before, false)
  }

  /// A node that is gone is met again, as the end of a link, by its identifier.
  mutating func revive(_ node: Int, metBy other: Int, _ side: Side) {
    alive.insert(node)
    link(other, side, node)
  }

  // MARK: Life and death

  /// Nodes die that nobody retains: not the test, not the scope, and no link.
  ///
  /// - Returns: the links to one that now lead nowhere.
  mutating func bury() -> [Link] {
    var dangling: [Link] = []
    while true {
      let weak = alive.filter { !held.contains($0) && !isUnsaved($0) }
      guard !weak.isEmpty, let dead = weak.subtracting(retained.map(\.other)).min() else { break }
      alive.remove(dead)
      nils = nils.filter { $0.node != dead }
      for side in Side.allCases {
        for other in list(dead, side) {
          if !side.inverse.isMany { dangling.append(Link(place: Place(node: other, side: side.inverse), other: dead)) }
          unlink(dead, side, other)
        }
      }
    }
    return dangling.filter { alive.contains($0.place.node) }
  }

  // MARK: Links

  private mutating func markChanges(since before: ReferenceGraph, _ isRead: Bool) {
    guard !isRead else { return }
    for place in lists.keys where differs(from: before, at: place) { dirty.insert(place) }
  }

  private mutating func link(_ node: Int, _ side: Side, _ other: Int) {
    guard !list(node, side).contains(other) else { return }
    if !side.isMany, let old = list(node, side).first { cut(node, side, old) }
    if !side.inverse.isMany, let old = list(other, side.inverse).first { cut(other, side.inverse, old) }
    for (node, side, other) in [(node, side, other), (other, side.inverse, node)] {
      lists[Place(node: node, side: side), default: []].append(other)
      nils.remove(Place(node: node, side: side))
    }
    retained.insert(Link(place: Place(node: node, side: side), other: other))
  }

  private mutating func cut(_ node: Int, _ side: Side, _ other: Int) {
    if list(node, side).contains(other) { unlink(node, side, other) }
  }

  private mutating func unlink(_ node: Int, _ side: Side, _ other: Int) {
    let one = Place(node: node, side: side)
    let two = Place(node: other, side: side.inverse)
    lists[one]?.removeAll { $0 == other }
    lists[two]?.removeAll { $0 == node }
    retained.remove(Link(place: one, other: other))
    retained.remove(Link(place: two, other: node))
  }
}

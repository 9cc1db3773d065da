@_spi(ModelKitInternals) import ModelCore

/// The links from the models of a live query to the related models that it includes. It retains these, since a read of
/// their inverses makes the relations of their owners weak.
struct IncludedLinks {
  /// A record at one level of the included relations. The models of the query are at level 0.
  struct Node: Hashable {
    let level: Int
    let key: RelatedKey
  }

  private var members: [Node: [Node: ModelObject]] = [:]
  private var owners: [Node: Set<Node>] = [:]

  /// Returns whether a related record is reached.
  func contains(_ node: Node) -> Bool { owners[node] != nil }

  /// The nodes whose models were unloaded. A reference to a record that does not exist was never loaded.
  var unloadedNodes: Set<Node> {
    Set(members.values.joined().lazy.filter { $0.value.isUnloadedReference && $0.value.isKnownToStore }.map(\.key))
  }

  /// Returns the nodes at level 0 that reach any of some nodes.
  func roots(of nodes: Set<Node>) -> Set<Node> {
    var (roots, seen, rest) = (Set<Node>(), nodes, Array(nodes))
    while let node = rest.popLast() {
      if node.level == 0 { roots.insert(node) }
      for owner in owners[node] ?? [] where seen.insert(owner).inserted { rest.append(owner) }
    }
    return roots
  }

  /// Replaces the members of a node, and retains their models. Members that no node references any more are removed,
  /// with their members.
  mutating func set(_ new: [Node: ModelObject], of node: Node) {
    let old = members[node] ?? [:]
    members[node] = new.isEmpty ? nil : new
    for member in new.keys where old[member] == nil { owners[member, default: []].insert(node) }
    for member in old.keys where new[member] == nil {
      owners[member]?.remove(node)
      guard owners[member]?.isEmpty == true else { continue }
      owners[member] = nil
      set([:], of: member)
    }
  }
}

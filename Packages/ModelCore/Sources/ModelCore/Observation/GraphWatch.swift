@_spi(ModelKitInternals) import FieldKit

/// An observation of every field of every model that can be reached from a root, kept up to date as the graph changes.
///
/// Each model is watched once, even if several links reference it. One of these links is its tree link, on a shortest
/// path when the model was found. The tree links give the path of a change without a search. When a tree link is cut,
/// the models below are attached to the tree by other links. If there is none, they are no longer watched.
///
/// Models are held weakly. The root model holds the watch, so that it keeps no model alive.
final class GraphWatch {
  private let report: (FieldPath) -> Void
  private let root: WatchedModel
  /// All watched models. A root that is watched for one field only is not among them.
  private var nodes: [ObjectIdentifier: WatchedModel] = [:]

  /// Watches all fields of a model, or one field and the models that it references.
  init(from model: ModelObject, only field: AnyField? = nil, report: @escaping (FieldPath) -> Void) {
    self.report = report
    root = WatchedModel(model)
    root.watch = self
    if let field {
      reach(root.observe(field, at: Int(field.layoutIndex), of: model))
    } else {
      nodes[ObjectIdentifier(model)] = root
      reach(root.observeAll(of: model))
    }
  }

  deinit {
    root.end()
    for node in nodes.values { node.end() }
  }

  // MARK: Growing

  /// Watches the models that links point to, and those that can be reached from there, nearer ones first.
  private func reach(_ links: [FoundLink]) {
    var (waiting, next) = (links, 0)
    while next < waiting.count {
      let link = waiting[next]
      next += 1
      // A model found before may have been removed meanwhile, together with a deallocated one.
      guard let origin = link.edge.node, origin === root || nodes[origin.id] === origin else { continue }
      let id = ObjectIdentifier(link.target)
      // Another model may have been at the same address.
      if let stale = nodes[id], stale.model !== link.target { discard(stale) }
      if let known = nodes[id] {
        link.connect(to: known)
        continue
      }
      let node = WatchedModel(link.target)
      node.watch = self
      nodes[id] = node
      link.connect(to: node)
      node.treeLink = link.edge
      waiting += node.observeAll(of: link.target)
    }
  }

  func fieldChanged(_ field: AnyField, of node: WatchedModel) {
    if let relation = field as? any RelationField { follow(relation, field, of: node) }
    if let path = path(to: node, then: node.keys[ObjectIdentifier(field)] ?? "") { report(path) }
  }

  /// Reports a deallocated model as a change of the field that referenced it.
  func modelIsGone(_ node: WatchedModel) {
    var node = node
    while node !== root, let treeLink = node.treeLink, let parent = treeLink.node {
      discard(node)
      if parent.model != nil {
        if let path = path(to: parent, then: parent.keys[treeLink.field] ?? "") { report(path) }
        return
      }
      node = parent
    }
  }

  func fieldAdded(_ field: AnyField, to model: ModelObject, node: WatchedModel) {
    guard node !== root || nodes[ObjectIdentifier(model)] === root else { return }
    reach(node.observe(field, at: Int(field.layoutIndex), of: model))
  }

  private func follow(_ relation: any RelationField, _ field: AnyField, of node: WatchedModel) {
    let id = ObjectIdentifier(field)
    let related = relation.relatedModels
    let old = node.links[id] ?? [:]
    let current = Set(related.map { ObjectIdentifier($0) })
    for (target, child) in old where !current.contains(target) || child.model == nil {
      node.links[id]?[target] = nil
      let edge = Edge(node: node, field: id)
      child.incomingLinks.remove(edge)
      if child.treeLink == edge { reattach(child) }
    }
    let kept = node.links[id] ?? [:]
    reach(
      related.filter { kept[ObjectIdentifier($0)] == nil }
        .map { FoundLink(edge: Edge(node: node, field: id), target: $0) })
  }

  // MARK: Shrinking

  /// Finds another tree link for a model whose link was cut, and for the models below it.
  private func reattach(_ first: WatchedModel) {
    if first === root { return }
    var detached = [first]
    var isDetached: Set<ObjectIdentifier> = [ObjectIdentifier(first)]
    first.treeLink = nil
    var next = 0
    while next < detached.count {
      for child in detached[next].treeChildren where isDetached.insert(ObjectIdentifier(child)).inserted {
        detached.append(child)
      }
      next += 1
    }
    var attached: [WatchedModel] = []
    // Skips models attached meanwhile: they may be reached by way of a model below.
    for node in detached where isDetached.contains(ObjectIdentifier(node)) {
      guard
        let treeLink = node.incomingLinks.first(where: {
          $0.node.map { !isDetached.contains(ObjectIdentifier($0)) } ?? false
        })
      else {
        continue
      }
      node.treeLink = treeLink
      isDetached.remove(ObjectIdentifier(node))
      attached.append(node)
      while let node = attached.popLast() {
        for (edge, child) in node.children where isDetached.remove(ObjectIdentifier(child)) != nil {
          child.treeLink = edge
          attached.append(child)
        }
      }
    }
    for node in detached where isDetached.contains(ObjectIdentifier(node)) { drop(node) }
  }

  /// Stops watching a model that can no longer be reached.
  private func drop(_ node: WatchedModel) {
    for (edge, child) in node.children { child.incomingLinks.remove(edge) }
    for treeLink in node.incomingLinks { treeLink.node?.links[treeLink.field]?[node.id] = nil }
    node.end()
    if nodes[node.id] === node { nodes[node.id] = nil }
  }

  /// Stops watching a deallocated model, and finds other tree links for the models below it.
  private func discard(_ node: WatchedModel) {
    let children = node.treeChildren
    drop(node)
    for child in children { reattach(child) }
  }

  // MARK: Paths

  /// Returns the path to a field by the tree links; nil if its model can no longer be reached.
  private func path(to target: WatchedModel, then key: String) -> FieldPath? {
    var components = [FieldPath.Component.key(key)]
    var node = target
    while node !== root {
      guard node.model != nil, let treeLink = node.treeLink, let parent = treeLink.node else {
        // There may be another path, which does not pass through the deallocated model.
        if node.model == nil { discard(node) } else { reattach(node) }
        if target.treeLink == nil { return nil }
        components.removeLast(components.count - 1)
        node = target
        continue
      }
      components.append(.key(parent.keys[treeLink.field] ?? ""))
      node = parent
    }
    return FieldPath(components.reversed())
  }
}

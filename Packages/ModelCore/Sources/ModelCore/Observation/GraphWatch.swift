@_spi(ModelKitInternals) import FieldKit

/// Watches every field of every model that can be reached from one, as the graph changes.
///
/// Each model is watched once, however many ways lead to it. Of these ways one is chosen, a shortest one when the model was
/// found; together they are a tree, so that the path of a change is known without a search. When a link of the tree is cut,
/// what hung on it is hung up elsewhere or, if there is no other way, no longer watched.
///
/// Models are held weakly, and the watch is held by the model it begins with: it keeps nothing alive.
final class GraphWatch {
  private let report: (FieldPath) -> Void
  private let root: WatchedModel
  /// All watched models, but for a root that is watched for one field only: it is a place to begin, not a member.
  private var nodes: [ObjectIdentifier: WatchedModel] = [:]

  /// Watches all fields of a model, or one and what it leads to.
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

  /// Watches the models that links lead to, and those that are reached from there, nearer ones first.
  private func reach(_ links: [FoundLink]) {
    var (waiting, next) = (links, 0)
    while next < waiting.count {
      let link = waiting[next]
      next += 1
      // A model found before may have been dropped meanwhile, with one that is gone.
      guard let origin = link.edge.node, origin === root || nodes[origin.id] === origin else { continue }
      let id = ObjectIdentifier(link.target)
      // Another model may have lived at the same address.
      if let stale = nodes[id], stale.model !== link.target { discard(stale) }
      if let known = nodes[id] {
        link.connect(to: known)
        continue
      }
      let node = WatchedModel(link.target)
      node.watch = self
      nodes[id] = node
      link.connect(to: node)
      node.way = link.edge
      waiting += node.observeAll(of: link.target)
    }
  }

  func fieldChanged(_ field: AnyField, of node: WatchedModel) {
    if let relation = field as? any RelationField { follow(relation, field, of: node) }
    if let path = path(to: node, then: node.keys[ObjectIdentifier(field)] ?? "") { report(path) }
  }

  /// Reports that a model is gone, as a change of the field by which it was reached.
  func modelIsGone(_ node: WatchedModel) {
    var node = node
    while node !== root, let way = node.way, let parent = way.node {
      discard(node)
      if parent.model != nil {
        if let path = path(to: parent, then: parent.keys[way.field] ?? "") { report(path) }
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
      child.ways.remove(edge)
      if child.way == edge { hangUp(child) }
    }
    let kept = node.links[id] ?? [:]
    reach(
      related.filter { kept[ObjectIdentifier($0)] == nil }
        .map { FoundLink(edge: Edge(node: node, field: id), target: $0) })
  }

  // MARK: Shrinking

  /// Finds another way to a model whose chosen way was cut, and to what is reached through it.
  private func hangUp(_ first: WatchedModel) {
    if first === root { return }
    var loose = [first]
    var isLoose: Set<ObjectIdentifier> = [ObjectIdentifier(first)]
    first.way = nil
    var next = 0
    while next < loose.count {
      for child in loose[next].chosenChildren where isLoose.insert(ObjectIdentifier(child)).inserted {
        loose.append(child)
      }
      next += 1
    }
    var hung: [WatchedModel] = []
    // Not those that were hung up meanwhile: another way to them may come from below.
    for node in loose where isLoose.contains(ObjectIdentifier(node)) {
      guard let way = node.ways.first(where: { $0.node.map { !isLoose.contains(ObjectIdentifier($0)) } ?? false })
      else {
        continue
      }
      node.way = way
      isLoose.remove(ObjectIdentifier(node))
      hung.append(node)
      while let node = hung.popLast() {
        for (edge, child) in node.children where isLoose.remove(ObjectIdentifier(child)) != nil {
          child.way = edge
          hung.append(child)
        }
      }
    }
    for node in loose where isLoose.contains(ObjectIdentifier(node)) { drop(node) }
  }

  /// Stops watching a model that can't be reached any more.
  private func drop(_ node: WatchedModel) {
    for (edge, child) in node.children { child.ways.remove(edge) }
    for way in node.ways { way.node?.links[way.field]?[node.id] = nil }
    node.end()
    if nodes[node.id] === node { nodes[node.id] = nil }
  }

  /// Stops watching a model that is gone, and finds other ways to what was reached through it.
  private func discard(_ node: WatchedModel) {
    let children = node.chosenChildren
    drop(node)
    for child in children { hangUp(child) }
  }

  // MARK: Paths

  /// The path to a field by the chosen ways; nil if none leads to the model any more.
  private func path(to target: WatchedModel, then key: String) -> FieldPath? {
    var components = [FieldPath.Component.key(key)]
    var node = target
    while node !== root {
      guard node.model != nil, let way = node.way, let parent = way.node else {
        // There may be another way, which does not lead through the model that is gone.
        if node.model == nil { discard(node) } else { hangUp(node) }
        if target.way == nil { return nil }
        components.removeLast(components.count - 1)
        node = target
        continue
      }
      components.append(.key(parent.keys[way.field] ?? ""))
      node = parent
    }
    return FieldPath(components.reversed())
  }
}

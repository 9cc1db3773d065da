@_spi(ModelKitInternals) import FieldKit

/// One model that a `GraphWatch` watches, with its links to others.
final class WatchedModel: ModelWatcher {
  let id: ObjectIdentifier
  weak var model: ModelObject?
  weak var watch: GraphWatch?
  /// The key of each watched field.
  private(set) var keys: [ObjectIdentifier: String] = [:]
  /// The models that each relation references.
  var links: [ObjectIdentifier: [ObjectIdentifier: WatchedModel]] = [:]
  /// The links that reference this model.
  var incomingLinks: Set<Edge> = []
  /// The tree link of this model; nil for the root.
  var treeLink: Edge?
  private var tokens: [ObservationToken] = []

  init(_ model: ModelObject) {
    id = ObjectIdentifier(model)
    self.model = model
  }

  /// Watches all fields.
  ///
  /// - Returns: the links to related models.
  func observeAll(of model: ModelObject) -> [FoundLink] {
    model.detailsForWriting.add(self)
    var links: [FoundLink] = []
    model.forEachField { field, index in links += observe(field, at: index, of: model) }
    return links
  }

  /// Watches one field.
  ///
  /// - Returns: the links to related models.
  func observe(_ field: AnyField, at index: Int, of model: ModelObject) -> [FoundLink] {
    let id = ObjectIdentifier(field)
    guard keys[id] == nil else { return [] }
    keys[id] = field.key ?? ""
    let token = field.onChange { [weak self] field in
      guard let self, let watch else { return }
      if let field { watch.fieldChanged(field, of: self) } else { watch.modelIsGone(self) }
    }
    if let token { tokens.append(token) }
    guard let relation = field as? any RelationField else { return [] }
    return relation.relatedModels.map { FoundLink(edge: Edge(node: self, field: id), target: $0) }
  }

  func fieldAdded(_ field: AnyField, to model: ModelObject) { watch?.fieldAdded(field, to: model, node: self) }

  /// The models that the relations reference, each with its link.
  var children: [(edge: Edge, child: WatchedModel)] {
    links.flatMap { field, targets in targets.values.map { (Edge(node: self, field: field), $0) } }
  }

  /// The models whose tree link begins at this one.
  var treeChildren: [WatchedModel] { children.filter { $0.child.treeLink == $0.edge }.map(\.child) }

  /// Stops watching, and releases the links, which may form cycles.
  func end() {
    for token in tokens { token.cancel() }
    tokens = []
    links = [:]
    incomingLinks = []
    treeLink = nil
  }
}

/// A relation of a watched model.
struct Edge: Hashable {
  private let nodeID: ObjectIdentifier
  private(set) weak var node: WatchedModel?
  let field: ObjectIdentifier

  init(node: WatchedModel, field: ObjectIdentifier) {
    nodeID = ObjectIdentifier(node)
    self.node = node
    self.field = field
  }

  static func == (left: Edge, right: Edge) -> Bool { left.nodeID == right.nodeID && left.field == right.field }

  func hash(into hasher: inout Hasher) {
    hasher.combine(nodeID)
    hasher.combine(field)
  }
}

/// A link to a model that may not be watched yet. It exists only while the watch is extended, so it may retain the
/// model.
struct FoundLink {
  let edge: Edge
  let target: ModelObject

  func connect(to node: WatchedModel) {
    edge.node?.links[edge.field, default: [:]][node.id] = node
    node.incomingLinks.insert(edge)
  }
}

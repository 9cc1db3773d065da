@_spi(ModelKitInternals) import ModelCore

/// The related models that a live query loads with its results, and loads again when they change.
final class LiveInclusion<M: Model> {
  private typealias Node = IncludedLinks.Node

  /// The members of one relation on the included paths.
  private struct Level {
    /// The level of the models that have the relation.
    let owners: Int
    /// The key of the relation, as it is declared.
    let key: String
    let relatedClass: ModelObject.Type
    let typeName: String
    /// The key of the inverse, as it is declared, if the members of the relation are found by it.
    let inverse: String?
    /// The topmost keys of records that determine who the members are.
    let inverseKeys: Set<String>
    /// Whether records name their class.
    let choosesClasses: Bool
  }

  private let store: any LiveModelStore
  private let evaluation: QueryEvaluation
  private let tree: IncludedRelations
  /// The relation of each level. Level 0 has none: its number is the first index.
  private var levels: [Level?] = [nil]
  private var links = IncludedLinks()
  private var shown: [Node: M] = [:]
  /// The models of the last valid result.
  private var delivered: [M] = []
  /// The models that were written, or reach a written one, since the last valid result; nil if they are unknown.
  private var changed: Set<ObjectIdentifier>?
  /// The number of models that had been unloaded when the related models were last loaded.
  private var unloadCount = 0

  /// - Throws: ``ModelStoreError`` with the code `invalid` if a property on a path is not a relation.
  init(_ paths: [QueryPath], _ store: any LiveModelStore, _ evaluation: QueryEvaluation) throws {
    self.store = store
    self.evaluation = evaluation
    tree = try IncludedRelations(paths, of: M.self)
    addLevels(tree, of: M.prototype(), at: 0)
  }

  private func addLevels(_ tree: IncludedRelations, of owner: ModelObject, at level: Int) {
    for key in tree.keys {
      guard let relation = owner.field(declaredAs: key) as? any RelationField else { continue }
      let related = relation.relatedClass.init()
      let inverse = owner.hasInRecord(relation) ? nil : owner.inverseField(of: relation, on: related)?.key
      let spelled = inverse.map { store.scope.transformers.key($0) }
      levels.append(
        Level(
          owners: level, key: key, relatedClass: relation.relatedClass, typeName: related.storedTypeName,
          inverse: inverse, inverseKeys: Set(spelled.map { [$0, String($0.prefix { $0 != "." })] } ?? []),
          choosesClasses: (relation.relatedClass as? any Model.Type)?.hierarchyChoosesClasses ?? false))
      addLevels(tree[key], of: related, at: levels.count - 1)
    }
  }

  /// The names of the types of the related models.
  var typeNames: Set<String> { Set(levels.compactMap { $0?.typeName }) }

  /// Loads the related models that changed.
  ///
  /// - Parameters:
  ///   - models: the models of the current result.
  ///   - result: the result of the query since the last call; nil if it is the same.
  ///   - mail: the changes since the last call.
  ///   - isListed: whether the query was listed again.
  ///   - isLoaded: whether the related models were listed with it.
  /// - Throws: ``ModelStoreError`` of the store. The next call has to be that of a new list.
  func load(
    _ models: [M], _ result: LiveResult<M>?, _ mail: FeedMailbox.Mail, isListed: Bool, isLoaded: Bool
  ) async throws {
    do {
      let (touched, joining) = nodes(in: mail)
      // They are retained until their owners retain them.
      let (found, owners) = try await readMembers(joining)
      let roots = links.roots(of: touched.union(owners).union(takeUnloaded()))
      let concerned = Set(roots.compactMap { shown[$0].map { ObjectIdentifier($0) } })
        .union(result?.differences.updated.map { ObjectIdentifier($0.model) } ?? [])
      changed?.formUnion(concerned)
      let outdated = concerned.union(removeAll(except: models))
      let known = Set(shown.values.map { ObjectIdentifier($0) })
      let new =
        isListed
        ? models
        : models.filter { outdated.contains(ObjectIdentifier($0)) || !known.contains(ObjectIdentifier($0)) }
      if !isLoaded {
        var loader = RelationLoader(store, evaluation, isFresh: false, read: models)
        try await loader.load(tree, of: new)
      }
      withExtendedLifetime(found) { link(new) }
    } catch {
      changed = nil
      throw error
    }
  }

  /// Returns the related models that were unloaded since the last call.
  private func takeUnloaded() -> Set<Node> {
    if store.scope.unloadCount == unloadCount { return [] }
    unloadCount = store.scope.unloadCount
    return links.unloadedNodes
  }

  /// Returns the related records that were written, and the identifiers of those that may have joined a list, by level.
  private func nodes(in mail: FeedMailbox.Mail) -> (written: Set<Node>, joining: [Int: Set<ExactText>]) {
    var written: Set<Node> = []
    var joining: [Int: Set<ExactText>] = [:]
    for routed in mail.batches.joined() {
      let change = routed.change
      let key = RelatedKey(change.typeName, change.identifier)
      for (number, level) in levels.enumerated() {
        guard let level, level.typeName == change.typeName else { continue }
        let node = Node(level: number, key: key)
        if links.contains(node) { written.insert(node) }
        guard level.inverse != nil, change.kind != .deleted else { continue }
        if change.kind == .created || level.choosesClasses
          || routed.keys?.contains(where: level.inverseKeys.contains) ?? true
        {
          joining[number, default: []].insert(key.identifier)
        }
      }
    }
    return (written, joining)
  }

  /// Reads written records that may have joined a list.
  ///
  /// - Returns: their models, and those that have the lists.
  private func readMembers(_ joining: [Int: Set<ExactText>]) async throws -> ([ModelObject], Set<Node>) {
    let loader = RelationLoader(store, evaluation, isFresh: false, read: [])
    var found: [ModelObject] = []
    var owners: Set<Node> = []
    for (number, identifiers) in joining.sorted(by: { $0.key < $1.key }) {
      guard let level = levels[number], let inverse = level.inverse else { continue }
      let members = try await loader.models(level.relatedClass, identifiers.map(\.text).sorted())
      found += members
      for member in members {
        for owner in (member.field(declaredAs: inverse) as? any RelationField)?.relatedModels ?? [] {
          node(of: owner, at: level.owners).map { _ = owners.insert($0) }
        }
      }
    }
    return (found, owners)
  }

  /// Removes the links of models that are no longer shown.
  ///
  /// - Returns: the models that reach one of them, and have to retain it from now on.
  private func removeAll(except models: [M]) -> Set<ObjectIdentifier> {
    let staying = Set(models.map { ObjectIdentifier($0) })
    var left: Set<Node> = []
    for (node, model) in shown where !staying.contains(ObjectIdentifier(model)) {
      for number in levels.indices.dropFirst() { left.insert(Node(level: number, key: node.key)) }
      shown[node] = nil
      links.set([:], of: node)
    }
    return Set(links.roots(of: left).compactMap { shown[$0].map { ObjectIdentifier($0) } })
  }

  private func link(_ models: [M]) {
    var seen: Set<Node> = []
    for model in models {
      guard let node = node(of: model, at: 0) else { continue }
      shown[node] = model
      link(model, node, &seen)
    }
  }

  private func link(_ model: ModelObject, _ node: Node, _ seen: inout Set<Node>) {
    guard seen.insert(node).inserted else { return }
    var members: [Node: ModelObject] = [:]
    for (number, level) in levels.enumerated() where level?.owners == node.level {
      guard let key = level?.key, let relation = model.field(declaredAs: key) as? any RelationField else { continue }
      for member in relation.relatedModels { self.node(of: member, at: number).map { members[$0] = member } }
    }
    links.set(members, of: node)
    for (node, member) in members { link(member, node, &seen) }
  }

  private func node(of model: ModelObject, at level: Int) -> Node? {
    model.storedIdentifier.map { Node(level: level, key: RelatedKey(model.storedTypeName, $0)) }
  }

  // MARK: Results

  /// Returns the result with the models that changed, or reach a changed one, as updated; nil if there are none.
  func result(of models: [M]) -> LiveResult<M>? {
    var differences = ModelDifferences(from: delivered, to: models)
    let staying = Set(delivered.map { ObjectIdentifier($0) })
    for (index, model) in models.enumerated() {
      let identity = ObjectIdentifier(model)
      guard changed?.contains(identity) ?? true, staying.contains(identity) else { continue }
      differences.updated.append(ModelDifferences.Change(model: model, index: index))
    }
    // The first result, and the one after an error, are delivered in any case.
    let isDue = changed == nil || !differences.isEmpty
    changed = []
    delivered = models
    return isDue ? LiveResult(models: models, differences: differences, error: nil) : nil
  }

  /// Returns an error with the models of the last valid result.
  func failure(_ error: ModelStoreError) -> LiveResult<M> {
    changed = nil
    return LiveResult(models: delivered, differences: ModelDifferences(), error: error)
  }
}

@_spi(ModelKitInternals) import FieldKit

/// The models in the record of a model that are validated with it: embedded ones, unless a store has a record of their
/// own.
struct EmbeddedModels {
  private struct Entry {
    let model: ModelObject
    /// The index of the entry whose model contains this one; nil for the root.
    let container: Int?
    let relation: any Relation
    /// The index in a list.
    let index: Int?
    /// The relation of the root in which the model is.
    let outermost: AnyField
  }

  private var entries: [Entry] = []
  /// The positions of models without identifier that are in the record already.
  private var repetitions: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// The models, containers first.
  var models: [ModelObject] { entries.map(\.model) }

  func contains(_ model: ModelObject) -> Bool { entries.contains { $0.model === model } }

  /// Returns the relations of the root in which models are, directly or inside of others.
  func relations(with models: Set<ModelObject>) -> [AnyField] {
    entries.filter { models.contains($0.model) }.map(\.outermost)
  }

  /// - Complexity: O(*n*) in the number of models and their relations.
  init(of root: ModelObject) {
    guard root.mayContainModels else { return }
    var seen: Set<ModelObject> = [root]
    // Without recursion: a chain of models may be long. Backwards, so that the first model is visited first.
    var pending: [Entry] = []
    func visit(_ model: ModelObject, _ container: Int?, outermost: AnyField?) {
      for relation in model.embeddingRelations.reversed() {
        let models = relation.modelsInRecord
        for (index, member) in models.enumerated().reversed() {
          pending.append(
            Entry(
              model: member, container: container, relation: relation, index: relation.isToMany ? index : nil,
              outermost: outermost ?? relation))
        }
      }
    }
    visit(root, nil, outermost: nil)
    while let entry = pending.popLast() {
      guard entry.model.isValidatedWithContainer, !root.isApart(from: entry.model) else { continue }
      guard seen.insert(entry.model).inserted else {
        if entry.model.hasNoIdentifier, !isOnlyInverse(entry) { repetitions.append(entry) }
        continue
      }
      entries.append(entry)
      if entry.model.mayContainModels { visit(entry.model, entries.count - 1, outermost: entry.outermost) }
    }
  }

  /// Returns whether an entry is only the inverse of the link to its container.
  private func isOnlyInverse(_ entry: Entry) -> Bool {
    guard let container = entry.container.map({ entries[$0] }) else { return false }
    return container.relation.ownerModel === entry.model
      && entry.relation.inverse(on: entry.model) === container.relation
  }

  /// Reports the relations whose models a record would lack. It has each model once in full, and no reference to one
  /// without identifier.
  func reportRepetitions() {
    for entry in repetitions {
      guard let first = entries.firstIndex(where: { $0.model === entry.model }) else { continue }
      entry.relation.addViolation(
        RuleViolation(
          code: "embeddedTwice",
          message: """
            has the same model as \(path(of: first).description.pathForMessage), and a record can reference only models with \
            an identifier: embed a copy
            """))
    }
  }

  /// Validates each model once, those inside another one before it.
  func validate() {
    var invalid: Set<Int> = []
    for index in entries.indices.reversed() {
      let entry = entries[index]
      let isValid = ValidationRun.isValid(entry.model) {
        entry.model.validateOwnFields()
        return !invalid.contains(index) && entry.model.ownErrors.isEmpty
      }
      if !isValid, let container = entry.container { invalid.insert(container) }
    }
  }

  /// The errors of the last validation of the models, by the relation of the root in which they are.
  var errors: [ObjectIdentifier: [ModelValidationError]] {
    var errors: [ObjectIdentifier: [ModelValidationError]] = [:]
    for index in entries.indices {
      let own = entries[index].model.ownErrors
      if own.isEmpty { continue }
      let path = path(of: index)
      errors[ObjectIdentifier(entries[index].outermost), default: []] += own.map {
        ModelValidationError(path: $0.path.prepending(path), message: $0.message)
      }
    }
    return errors
  }

  private func path(of index: Int) -> FieldPath {
    var components: [FieldPath.Component] = []
    var next: Int? = index
    while let current = next {
      let entry = entries[current]
      if let index = entry.index { components.append(.index(index)) }
      components.append(.key(entry.relation.key ?? entry.relation.name ?? "?"))
      next = entry.container
    }
    return FieldPath(components.reversed())
  }
}

extension ModelObject {
  /// Whether the class has relations. Without any, there is nothing to search.
  fileprivate var mayContainModels: Bool { !layout.relationIndices.isEmpty || hasDynamicFields }

  /// The relations whose models are written inside this one.
  fileprivate var embeddingRelations: [any Relation] {
    var relations: [any Relation] = []
    func add(_ field: AnyField) {
      guard field.isRelation, let relation = field as? any Relation, !relation.isForeignKey else { return }
      relation.noteValueRead()
      if relation.linkCount > 0, !isStoredOnlyByInverse(relation) { relations.append(relation) }
    }
    for index in layout.relationIndices { if let field = layout.field(at: index, of: self) { add(field) } }
    for field in details?.dynamicFields ?? [] { add(field) }
    return relations
  }

  /// Whether the values of the model are validated with the model that contains it.
  fileprivate var isValidatedWithContainer: Bool {
    if hasNoIdentifier { return true }
    if isStored { return false }
    // Only the identifier of an unloaded reference is known.
    if case .loaded = modelLoadState { return true } else { return origin == .new }
  }
}

extension Relation {
  /// The models that are written inside the model of this relation.
  fileprivate var modelsInRecord: [ModelObject] {
    guard !isToMany, let owner = ownerModel, owner.hasNoIdentifier else { return liveModels }
    if owner.identifierField != nil { return retainedModels }
    // The model whose list has this one is its container.
    return retainedModels.filter { model in
      guard let inverse = inverse(on: model), inverse.isToMany, !inverse.isForeignKey else { return true }
      return !inverse.refers(to: owner)
    }
  }
}

@_spi(ModelKitInternals) import FieldKit

/// What has to happen to other models when some are deleted, as the delete rules of their relations say.
///
/// ```swift
/// let plan = try author.deletionPlan()
/// for model in plan.models { … }   // write the deletions
/// plan.cutLinks()                  // models that stay lead to the deleted ones no longer
/// ```
///
/// A plan knows what the relations know. What one-way relations of others lead to a deleted model can't be seen from it,
/// and lists that are not whole are named in ``unknownRelations``, so that a store can complete them first.
@_spi(ModelKitInternals)
public struct DeletionPlan {
  /// A relation of a model to be deleted that leads to models that stay.
  public struct Cut {
    /// The relation.
    public let relation: any RelationField
    /// The models that stay.
    public let models: [ModelObject]
  }

  /// The models to delete: those that were asked for, then those that go with them, each once, nearer ones first.
  public let models: [ModelObject]
  /// The links between models to be deleted and models that stay.
  public let cuts: [Cut]
  /// Relations whose rule is to cascade or to deny, but of which not all models are known.
  public let unknownRelations: [any RelationField]

  /// Follows the rules from some models on. Changes nothing.
  ///
  /// - Throws: ``DeletionDeniedError`` for the first relation that denies.
  /// - Complexity: O(*n*) in the number of links that are looked at.
  public init(deleting roots: [ModelObject]) throws {
    var doomed: Set<ModelObject> = []
    var models: [ModelObject] = []
    for root in roots where doomed.insert(root).inserted { models.append(root) }
    var unknown: [any RelationField] = []
    var next = 0
    while next < models.count {
      for relation in models[next].relations where relation.deleteRule == .cascade {
        for related in relation.relatedModels where doomed.insert(related).inserted { models.append(related) }
      }
      next += 1
    }
    var cuts: [Cut] = []
    for model in models {
      for relation in model.relations {
        let staying = relation.relatedModels.filter { !doomed.contains($0) }
        if relation.deleteRule == .deny, !staying.isEmpty {
          throw DeletionDeniedError(model: model, relation: relation, count: staying.count)
        }
        if relation.deleteRule != .nullify, !model.knowsAll(of: relation) { unknown.append(relation) }
        if !staying.isEmpty { cuts.append(Cut(relation: relation, models: staying)) }
      }
    }
    self.models = models
    self.cuts = cuts
    unknownRelations = unknown
  }

  /// Cuts all links between the deleted models and those that stay, on both sides. Fields of models that stay are dirty
  /// afterwards, and so are written with the next save.
  public func cutLinks() {
    for cut in cuts { (cut.relation as? any Relation)?.unlink(cut.models) }
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// What has to happen to other models when this one is deleted. Changes nothing.
  ///
  /// - Throws: ``DeletionDeniedError`` if a relation denies it.
  public func deletionPlan() throws -> DeletionPlan { try DeletionPlan(deleting: [self]) }

  /// What a new model knows of its relations is all there is; what was read may be a part.
  fileprivate func knowsAll(of relation: any Relation) -> Bool {
    switch relation.loadState {
    case .loaded: true
    default: origin == .new
    }
  }
}

/// A model can't be deleted as long as others are related to it. Nothing was changed.
public struct DeletionDeniedError: Error, CustomStringConvertible {
  /// What stores call the type of the model that can't be deleted. It may be one that would go with the one that was
  /// asked for.
  public let typeName: String
  /// The identifier of that model, if it has one.
  public let identifier: String?
  /// The key of the relation that denies.
  public let relation: String
  /// How many models hold it back.
  public let count: Int

  init(model: ModelObject, relation: any Relation, count: Int) {
    typeName = model.layout.typeName
    identifier = model.modelIdentifier
    self.relation = relation.key ?? relation.name ?? "?"
    self.count = count
  }

  /// What was wrong, what was kept, and what to do.
  public var description: String {
    let subject = identifier.map { "\(typeName) \"\($0)\"" } ?? "A \(typeName)"
    let models = count == 1 ? "1 model" : "\(count) models"
    return """
      \(subject) was not deleted: "\(relation)" still leads to \(models), and its rule is to deny. Remove or delete \
      them first.
      """
  }
}

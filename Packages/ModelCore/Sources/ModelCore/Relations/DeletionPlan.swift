@_spi(ModelKitInternals) import FieldKit

/// What has to happen to other models when some are deleted, as the delete rules of their relations say.
///
/// How a store deletes:
///
/// ```swift
/// let plan = try author.deletionPlan()             // throws DeletionDeniedError; nothing is changed
/// try await engine.delete(plan.models)             // all or none
/// plan.cutLinks()                                  // only now: models that stay lead to the deleted ones no longer
/// for model in plan.models { finishDeleting(model) }
/// for model in plan.nullifiedModels where model.isKnownToStore { try await save(model) }
/// ```
///
/// Until ``cutLinks()`` is called nothing is changed, so a store that fails has nothing to undo.
///
/// A plan knows what the relations know. What one-way relations of others lead to a deleted model can't be seen from it,
/// and lists that are not whole are named in ``unknownRelations``, so that a store can complete them and make the plan
/// anew.
@_spi(ModelKitInternals)
public struct DeletionPlan {
  /// A relation of a model to be deleted that leads to models that stay.
  public struct Cut {
    /// The relation.
    public let relation: any RelationField
    /// The models that stay.
    public let models: [ModelObject]
  }

  /// The models to delete: those that were asked for, then those that go with them by cascade, each once, nearer ones
  /// first.
  public let models: [ModelObject]
  /// The links between models to be deleted and models that stay.
  public let cuts: [Cut]
  /// The models that stay and lose a link of their own, each once: the other side of it was nullified.
  public let nullifiedModels: [ModelObject]
  /// Relations whose rule is to cascade or to deny, but of which not all models are known.
  public let unknownRelations: [any RelationField]

  /// Follows the rules from some models on. Changes nothing.
  ///
  /// - Parameters:
  ///   - roots: the models that are asked for.
  ///   - ignoresDenials: whether to go on where a rule denies, to find out first who else is in the way.
  /// - Throws: ``DeletionDeniedError`` for the first relation that denies.
  /// - Complexity: O(*n*) in the number of links that are looked at.
  public init(deleting roots: [ModelObject], ignoresDenials: Bool = false) throws {
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
    var nullified: [ModelObject] = []
    var known: Set<ModelObject> = []
    for model in models {
      for relation in model.relations {
        let staying = relation.relatedModels.filter { !doomed.contains($0) }
        if relation.deleteRule == .deny, !staying.isEmpty, !ignoresDenials {
          throw DeletionDeniedError(model: model, relation: relation, members: staying)
        }
        if relation.deleteRule != .nullify, !model.knowsAll(of: relation) { unknown.append(relation) }
        if staying.isEmpty { continue }
        cuts.append(Cut(relation: relation, models: staying))
        for related in staying where relation.inverse(on: related)?.refers(to: model) == true {
          if known.insert(related).inserted { nullified.append(related) }
        }
      }
    }
    self.models = models
    self.cuts = cuts
    nullifiedModels = nullified
    unknownRelations = unknown
  }

  /// Cuts all links between the deleted models and those that stay, on both sides, in one operation. Fields of models that
  /// stay are dirty afterwards, and so are written with the next save; reverting them does not lead to a deleted model.
  ///
  /// To be called once the models were deleted.
  public func cutLinks() {
    let change = RelationChange(.deletion)
    for cut in cuts { (cut.relation as? any Relation)?.unlink(cut.models, change) }
    for model in models {
      for relation in model.relations {
        for former in relation.baselineModels ?? [] { relation.inverse(on: former)?.removeFromBaseline(model) }
      }
    }
    change.announce()
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// What has to happen to other models when this one is deleted. Changes nothing.
  ///
  /// - Parameter ignoresDenials: whether to go on where a rule denies, to find out first who else is in the way.
  /// - Throws: ``DeletionDeniedError`` if a relation denies it.
  public func deletionPlan(ignoresDenials: Bool = false) throws -> DeletionPlan {
    try DeletionPlan(deleting: [self], ignoresDenials: ignoresDenials)
  }

  /// What a new model knows of its relations is all there is; what was read may be a part.
  fileprivate func knowsAll(of relation: any Relation) -> Bool {
    switch relation.loadState {
    case .loaded: true
    default: origin == .new
    }
  }
}

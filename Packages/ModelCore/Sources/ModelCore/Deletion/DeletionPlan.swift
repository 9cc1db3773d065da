@_spi(ModelKitInternals) import FieldKit

/// The changes of other models that the delete rules require when some models are deleted.
///
/// A store deletes as follows:
///
/// ```swift
/// // Throws DeletionDeniedError, and changes nothing:
/// let plan = try author.deletionPlan()
/// try await engine.delete(plan.models)  // atomically
/// // From here on, remaining models no longer reference the deleted ones:
/// plan.nullifyLinks()
/// for model in plan.models { finishDeleting(model) }
/// for model in plan.nullifiedModels where model.isKnownToStore {
///   try await save(model)
/// }
/// ```
///
/// Nothing is changed before ``nullifyLinks()`` is called. So a store that fails has nothing to
/// undo.
///
/// A plan includes only members of the loaded relations. One-way relations of other models to a deleted one are not
/// visible from it. Lists that are not fully loaded are in ``unknownRelations``, so that a store can load them and
/// rebuild the plan.
@_spi(ModelKitInternals)
public struct DeletionPlan {
  /// The links of a deleted model, in one relation, to models that stay.
  package struct Cut {
    /// The relation.
    let relation: any RelationField
    /// The models that stay.
    let models: [ModelObject]
  }

  /// The models to delete: the requested ones, then those deleted by cascade, each once, nearer ones first.
  public let models: [ModelObject]
  /// The links between models to be deleted and models that stay.
  package let cuts: [Cut]
  /// The models that stay and whose inverse is nullified, each once.
  public let nullifiedModels: [ModelObject]
  /// The relations that cascade or deny, but are not fully loaded.
  public let unknownRelations: [any RelationField]

  /// Creates a plan by following the delete rules. Changes nothing.
  ///
  /// - Parameters:
  ///   - roots: the models whose deletion is requested.
  ///   - ignoresDenials: whether to continue where a rule denies, to find all obstacles first.
  /// - Throws: ``DeletionDeniedError`` for the first relation that denies.
  /// - Complexity: O(*n*) in the number of links of the models to delete.
  public init(deleting roots: [ModelObject], ignoresDenials: Bool = false) throws {
    var doomed: Set<ModelObject> = []
    var models: [ModelObject] = []
    for root in roots where doomed.insert(root).inserted { models.append(root) }
    var unknown: [any RelationField] = []
    var next = 0
    while next < models.count {
      for relation in models[next].relations where relation.deleteRule == .cascade {
        for related in relation.relatedModelsAndUnloaded where doomed.insert(related).inserted {
          models.append(related)
        }
      }
      next += 1
    }
    for model in models {
      for relation in model.relations {
        if relation.deleteRule == .deny, !ignoresDenials {
          let members =
            Self.staying(relation, of: model, doomed) + relation.membersLostByUnloading.filter { !doomed.contains($0) }
          if !members.isEmpty { throw DeletionDeniedError(model: model, relation: relation, members: members) }
        }
        if relation.deleteRule != .nullify, !model.knowsAll(of: relation) { unknown.append(relation) }
      }
    }
    self.init(models, doomed, unknown)
  }

  /// The deletion of the same models with their present links, which may have changed since it was planned.
  ///
  /// - Complexity: O(*n*) in the number of links of the models.
  public var withPresentLinks: DeletionPlan { DeletionPlan(models, Set(models), unknownRelations) }

  private init(_ models: [ModelObject], _ doomed: Set<ModelObject>, _ unknown: [any RelationField]) {
    var cuts: [Cut] = []
    var nullified: [ModelObject] = []
    var known: Set<ModelObject> = []
    for model in models {
      for relation in model.relations {
        // An embedded model that does not reference the deleted one is part of its record, and returns with an undo.
        let separate = Self.staying(relation, of: model, doomed).filter {
          !$0.isPartOfContainer || relation.inverse(on: $0) != nil
        }
        if separate.isEmpty { continue }
        cuts.append(Cut(relation: relation, models: separate))
        for related in separate where relation.inverse(on: related)?.refers(to: model) == true {
          if known.insert(related).inserted { nullified.append(related) }
        }
      }
    }
    self.models = models
    self.cuts = cuts
    nullifiedModels = nullified
    unknownRelations = unknown
  }

  /// Returns the models of a relation that stay.
  private static func staying(
    _ relation: any Relation, of model: ModelObject, _ doomed: Set<ModelObject>
  ) -> [ModelObject] {
    // Another store of the scope may have deleted both before: a history restores the link between them.
    relation.relatedModels.filter { !doomed.contains($0) && !(model.isDeleted && $0.isDeleted) }
  }

  /// Cuts all links between the deleted models and those that stay, on both sides, in one operation.
  ///
  /// The changed fields of models that stay are dirty, and so are written with the next save. Reverting them does not
  /// restore a reference to a deleted model. Call this after the models were deleted.
  public func nullifyLinks() {
    let change = RelationChange(.deletion)
    for cut in cuts { (cut.relation as? any Relation)?.unlink(cut.models, change) }
    let deleted = Set(models)
    for model in models {
      for relation in model.relations {
        for former in relation.baselineModels ?? [] {
          guard let inverse = relation.inverse(on: former) else { continue }
          inverse.removeFromBaseline(model)
          // A revert of the deleted model must not put it into a list of one that stays.
          if !deleted.contains(former) { relation.removeFromBaseline(former) }
          // Nothing is left to save in the list that the deleted model had left.
          if former.isStoredOnlyByInverse(inverse) { inverse.markCleanIfReverted(asOf: .next()) }
        }
      }
    }
    change.announce()
  }

  /// Cuts the links between models that stay and deleted ones whose side of them was unloaded. Call this after the
  /// links of stored records were cut: those that are left are unsaved.
  public func nullifyUnloadedLinks() {
    let change = RelationChange(.deletion)
    for model in models {
      for relation in model.relations { relation.cutStaleInverses(except: models, change) }
    }
    change.announce()
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// Cuts the links of this model to deleted models, as edits.
  ///
  /// - Parameter kept: deleted models that are created again.
  public func unlinkDeleted(except kept: Set<ModelObject>) {
    for relation in relations {
      let deleted = relation.relatedModels.filter { $0.isDeleted && !kept.contains($0) }
      if !deleted.isEmpty { relation.unlink(deleted) }
    }
  }

  /// Returns whether all models of a relation are known. A new model has complete relations; others may be partial.
  fileprivate func knowsAll(of relation: any Relation) -> Bool {
    switch relation.loadState {
    case .loaded: true
    default: origin == .new
    }
  }
}

@_spi(ModelKitInternals) import FieldKit

/// A traversal of all models that can be reached from one, each model once. It is iterative, so that no chain of models
/// is too long for the stack.
struct GraphWalk {
  /// Visits the fields of a model and, after each relation, the fields of its related models before the next field.
  ///
  /// - Parameters:
  ///   - model: the model to start from.
  ///   - recursive: whether to follow relations.
  ///   - visit: receives every field.
  static func fields(from model: ModelObject, recursive: Bool, _ visit: (AnyField) -> Void) {
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(model)]
    // The remaining steps, the next one last. A waiting model is retained; its fields are visited in turn.
    var waiting = [Step.model(model)]
    while let step = waiting.popLast() {
      switch step {
      case .model(let model): waiting += model.orderedFields.reversed().map { .field($0, of: model) }
      case .reached(let model):
        if seen.insert(ObjectIdentifier(model)).inserted { waiting.append(.model(model)) }
      case .field(let field, let owner):
        withExtendedLifetime(owner) { visit(field) }
        guard recursive, let relation = field as? any RelationField else { continue }
        waiting += relation.relatedModels.reversed().map { .reached($0) }
      }
    }
  }

  private enum Step {
    case model(ModelObject)
    case reached(ModelObject)
    case field(AnyField, of: ModelObject)
  }

  /// Returns all models that can be reached, the first one included, nearer ones first.
  ///
  /// - Parameters:
  ///   - model: the model to start from.
  ///   - includesOriginals: whether to follow the baselines of relations as well.
  ///   - follows: whether to follow a relation of a model.
  static func models(
    from model: ModelObject, includesOriginals: Bool = false,
    where follows: (any Relation, ModelObject) -> Bool = { _, _ in true }
  ) -> [ModelObject] {
    var models = [model]
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(model)]
    var next = 0
    func follow(_ model: ModelObject, _ lead: (any Relation) -> [ModelObject]) {
      for case let relation as any Relation in model.orderedFields where follows(relation, model) {
        for related in lead(relation) where seen.insert(ObjectIdentifier(related)).inserted { models.append(related) }
      }
    }
    var nextOriginals = includesOriginals ? 0 : Int.max
    // Current related models come first, and only then those of baselines.
    while next < models.count || nextOriginals < models.count {
      if next < models.count {
        follow(models[next]) { $0.relatedModels }
        next += 1
      } else {
        follow(models[nextOriginals]) { $0.baselineModels ?? [] }
        nextOriginals += 1
      }
    }
    return models
  }
}

@_spi(ModelKitInternals) import FieldKit

/// A way through all models that can be reached from one: each model once, what is outside before what is inside, and in
/// the order of the fields. Not by calls, so that no chain of models is too long for the stack.
struct GraphWalk {
  /// Goes through the fields of a model and, where one is a relation, of the models it leads to, before the next field.
  ///
  /// - Parameters:
  ///   - model: where to begin.
  ///   - recursive: whether to follow relations.
  ///   - visit: gets every field.
  static func fields(from model: ModelObject, recursive: Bool, _ visit: (FieldBase) -> Void) {
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(model)]
    // What is left to do, the next at the end. A model that waits here is kept alive, and only its fields are visited
    // when their turn comes.
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
    case field(FieldBase, of: ModelObject)
  }

  /// All models that can be reached, the first included; nearer ones first.
  ///
  /// - Parameters:
  ///   - model: where to begin.
  ///   - follows: whether to follow a relation of a model.
  static func models(
    from model: ModelObject, where follows: (any Relation, ModelObject) -> Bool = { _, _ in true }
  ) -> [ModelObject] {
    var models = [model]
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(model)]
    var next = 0
    while next < models.count {
      let model = models[next]
      next += 1
      for case let relation as any Relation in model.orderedFields where follows(relation, model) {
        for related in relation.relatedModels where seen.insert(ObjectIdentifier(related)).inserted {
          models.append(related)
        }
      }
    }
    return models
  }
}

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
  static func fields(from model: ModelObject, recursive: Bool, _ visit: (AnyField) -> Void) {
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
    case field(AnyField, of: ModelObject)
  }

  /// All models that can be reached, the first included; nearer ones first.
  ///
  /// - Parameters:
  ///   - model: where to begin.
  ///   - includesOriginals: whether to follow relations to what they go back to as well.
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
    // What is led to now comes first, and only then what there would be after going back.
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

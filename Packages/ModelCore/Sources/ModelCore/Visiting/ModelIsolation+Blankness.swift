@_spi(ModelKitInternals) import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Whether the model and all models that can be reached from it are blank.
  ///
  /// A model is blank if every field is nil or blank, such as an empty text. A value of a type without blank values,
  /// such as a number, is not blank.
  ///
  /// - Complexity: O(*n*) in the number of fields that can be reached, even with cycles.
  public var isBlank: Bool {
    GraphWalk.models(from: self).allSatisfy { model in
      model.orderedFields.allSatisfy { field in
        if field.isRelation { return true }
        guard let value = field.anyValue else { return true }
        return (value as? any Blankable)?.isBlank ?? false
      }
    }
  }
}

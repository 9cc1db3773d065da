@_spi(ModelKitInternals) import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Whether there is nothing in this model: every field is nil or itself blank, such as an empty text, and so are all
  /// models that can be reached from here. A value that can't be blank, such as a number, is something.
  ///
  /// - Complexity: O(*n*) in the number of fields that can be reached. Circles end.
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

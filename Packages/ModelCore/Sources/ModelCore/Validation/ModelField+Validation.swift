@_spi(ModelKitInternals) import FieldKit

extension ModelField {
  /// Requires that the related model is valid. No related model is valid; see `requireNotNil(message:)`.
  ///
  /// Validating this field validates all fields of the related model, and so every model that is required to be valid
  /// from there. Models that require each other to be valid are validated together. The model on which `validate()` was
  /// called is valid if all models reached this way are valid. The message is `is invalid`; the errors of the
  /// related model have the details.
  ///
  /// ```swift
  /// final class Person: Model {
  ///   let name = Field<String>().require(.notBlank)
  ///   let company = ModelField<Company>().requireValid()
  /// }
  /// ```
  ///
  /// - Parameter message: the message for an invalid related model, as the end of a sentence about the field.
  /// - Note: The validation is recursive, so a chain of many thousand models needs a large stack.
  @discardableResult
  public func requireValid(message: String = "is invalid") -> Self {
    require(
      .shared(code: "validModel", message: message) { model in
        ValidationRun.isValid(model) { !model.validate().isInvalid }
      })
  }
}

@_spi(ModelKitInternals) import FieldKit

extension ModelField {
  /// Says that the related model has to be valid. No related model is fine; see `requireNotNil(message:)`.
  ///
  /// Validating this field validates the related model, with all its fields, and so everything that is required to be
  /// valid from there. Models that require each other to be valid are judged together: the model that `validate()` was
  /// called on is valid if all that it reaches in this way keep their rules. Message: `Value is invalid`; the related
  /// model says what is wrong with it.
  ///
  /// ```swift
  /// final class Person: Model {
  ///   let name = Field<String>().require(.notBlank)
  ///   let company = ModelField<Company>().requireValid()
  /// }
  /// ```
  ///
  /// - Parameter message: what to say if the related model is invalid, as the end of a sentence about the field.
  /// - Note: Goes from model to model by calls, so a chain of many thousand models needs much stack.
  @discardableResult
  public func requireValid(message: String = "Value is invalid") -> Self {
    require(
      .shared(code: "validModel", message: message) { model in
        ValidationRun.isValid(model) { model.validate().isValid }
      })
  }
}

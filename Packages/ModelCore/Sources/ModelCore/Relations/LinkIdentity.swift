@_spi(ModelKitInternals) import FieldKit

/// Remembers which model a weak link led to, after the model is gone.
///
/// The identifier is asked of the model's identifier field, which may get its value long after the link was made.
struct LinkIdentity {
  private let field: AnyField?

  init(_ model: ModelObject) { field = model.identifierField }

  var identifier: String? { field.flatMap(ModelObject.identifier(in:)) }
}

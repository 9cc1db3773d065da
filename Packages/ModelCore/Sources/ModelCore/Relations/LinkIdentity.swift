@_spi(ModelKitInternals) import FieldKit

/// The identifier of a weakly linked model, which is available after the model was deallocated.
///
/// The identifier is read from the model's identifier field, which may get its value long after the link was made.
struct LinkIdentity {
  private let field: AnyField?

  init(_ model: ModelObject) { field = model.identifierField }

  var identifier: String? { field.flatMap(ModelObject.identifier(in:)) }
}

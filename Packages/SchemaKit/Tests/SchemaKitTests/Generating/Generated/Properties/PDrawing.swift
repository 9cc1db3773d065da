// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Drawing of a model file.
final class PDrawing: Model, SchemaMapped {
  static let entityName = "Drawing"

  @Field var id: Int?

  @ModelArrayField(deleteRule: .cascade, inverse: \.$drawing) var figures: [PFigure]?

  override var identifierField: AnyField? { $id }
}

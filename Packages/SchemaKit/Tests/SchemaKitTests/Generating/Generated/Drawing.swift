// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Drawing of a model file.
final class Drawing: Model, SchemaMapped {
  static let entityName = "Drawing"

  let id = Field<Int>()

  let figures: ModelArrayField<Figure> = ModelField<Figure>(deleteRule: .cascade, inverse: \.drawing)*

  override var identifierField: AnyField? { id }
}

// Generated from the model file by `swift package generate-models`. Changes are overwritten.
// swift-format-ignore-file

import SchemaKit

/// The fields of PairDrawing, from the entity Drawing of a model file.
class PairDrawingFields: Model, SchemaMapped {
  class var entityName: String { "Drawing" }

  override class var typeName: String {
    self == PairDrawingFields.self ? "PairDrawingFields" : "PairDrawing"
  }

  let id = Field<Int>()

  let figures: ModelArrayField<PairFigure> = ModelField<PairFigure>(deleteRule: .cascade, inverse: \.drawing)*

  override var identifierField: AnyField? { id }
}

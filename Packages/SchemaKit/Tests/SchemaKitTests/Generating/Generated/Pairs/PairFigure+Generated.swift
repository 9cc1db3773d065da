// Generated from the model file by `swift package generate-models`. Changes are overwritten.
// swift-format-ignore-file

import SchemaKit

/// The fields of PairFigure, from the entity Figure of a model file.
class PairFigureFields: Model, SchemaMapped {
  class var entityName: String { "Figure" }

  override class var typeName: String {
    self == PairFigureFields.self ? "PairFigureFields" : "PairFigure"
  }

  let id = Field<Int>()

  /// The kind of the figure.
  let kind: Field<String>

  let drawing: ModelField<PairDrawing> = ModelField<PairDrawing>()

  required init() {
    kind = Field<String>(Self.entityName, key: "meta.kind")
    super.init()
  }

  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    switch dictionary[path: "meta.kind"]?.stringValue {
    case "Figure": PairFigure.self
    case "Disc": PairDisc.self
    case "Ring": PairRing.self
    case "Tile": PairTile.self
    default: nil
    }
  }

  override var identifierField: AnyField? { id }
}

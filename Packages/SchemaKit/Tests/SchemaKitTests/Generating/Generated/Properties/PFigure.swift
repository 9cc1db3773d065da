// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Figure of a model file.
class PFigure: Model, SchemaMapped {
  class var entityName: String { "Figure" }

  @Field var id: Int?

  /// The kind of the figure.
  let kind: Field<String>

  @ModelField var drawing: PDrawing?

  required init() {
    kind = Field<String>(Self.entityName, key: "meta.kind")
    super.init()
  }

  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    switch dictionary[path: "meta.kind"]?.stringValue {
    case "Figure": PFigure.self
    case "Disc": PDisc.self
    case "Ring": PRing.self
    case "Tile": PTile.self
    default: nil
    }
  }

  override var identifierField: AnyField? { $id }
}

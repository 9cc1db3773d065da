// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Figure of a model file.
class Figure: Model, SchemaMapped {
  class var entityName: String { "Figure" }

  let id = Field<Int>()

  /// The kind of the figure.
  let kind: Field<String>

  let drawing: ModelField<Drawing> = ModelField<Drawing>()

  required init() {
    kind = Field<String>(Self.entityName, key: "meta.kind")
    super.init()
  }

  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    switch dictionary[path: "meta.kind"]?.stringValue {
    case "Figure": Figure.self
    case "Disc": Disc.self
    case "Ring": Ring.self
    case "Tile": Tile.self
    default: nil
    }
  }

  override var identifierField: AnyField? { id }
}

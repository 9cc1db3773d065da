// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Tile of a model file.
final class Tile: Figure {
  override class var entityName: String { "Tile" }

  let side = Field<Double>()
}

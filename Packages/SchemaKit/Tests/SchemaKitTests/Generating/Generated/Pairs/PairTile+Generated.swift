// Generated from the model file by `swift package generate-models`. Changes are overwritten.
// swift-format-ignore-file

import SchemaKit

/// The fields of PairTile, from the entity Tile of a model file.
class PairTileFields: PairFigure {
  override class var entityName: String { "Tile" }

  let side = Field<Double>()
}

// Generated from the model file by `swift package generate-models`. Changes are overwritten.
// swift-format-ignore-file

import SchemaKit

/// The fields of PairDisc, from the entity Disc of a model file.
class PairDiscFields: PairFigure {
  override class var entityName: String { "Disc" }

  let radius = Field<Double>()
}

// Generated from the model file by `swift package generate-models`. Changes are overwritten.
// swift-format-ignore-file

import SchemaKit

/// The fields of PairRing, from the entity Ring of a model file.
class PairRingFields: PairDisc {
  override class var entityName: String { "Ring" }

  let width = Field<Double>()
}

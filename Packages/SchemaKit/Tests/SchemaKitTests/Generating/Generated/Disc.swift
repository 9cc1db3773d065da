// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Disc of a model file.
class Disc: Figure {
  override class var entityName: String { "Disc" }

  let radius = Field<Double>()
}

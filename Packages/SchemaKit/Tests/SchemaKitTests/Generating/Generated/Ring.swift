// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Ring of a model file.
final class Ring: Disc {
  override class var entityName: String { "Ring" }

  let width = Field<Double>()
}

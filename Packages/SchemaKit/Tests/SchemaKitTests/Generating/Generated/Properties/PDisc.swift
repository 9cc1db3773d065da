// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Disc of a model file.
class PDisc: PFigure {
  override class var entityName: String { "Disc" }

  @Field var radius: Double?
}

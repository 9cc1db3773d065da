// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Tile of a model file.
final class PTile: PFigure {
  override class var entityName: String { "Tile" }

  @Field var side: Double?
}

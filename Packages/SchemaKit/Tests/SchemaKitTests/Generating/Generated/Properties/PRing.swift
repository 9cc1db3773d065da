// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Ring of a model file.
final class PRing: PDisc {
  override class var entityName: String { "Ring" }

  @Field var width: Double?
}

// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Part of a model file.
final class PShopPart: PShopItem {
  override class var entityName: String { "Part" }

  @Field var `class`: String?

  @ModelField(deleteRule: .deny, configure: { $0.require(.notNil) }) var whole: PShopItem?
}

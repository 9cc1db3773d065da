// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Part of a model file.
final class ShopPart: ShopItem {
  override class var entityName: String { "Part" }

  let `class` = Field<String>()

  let whole: ModelField<ShopItem> = ModelField<ShopItem>(deleteRule: .deny)
    .require(.notNil)
}

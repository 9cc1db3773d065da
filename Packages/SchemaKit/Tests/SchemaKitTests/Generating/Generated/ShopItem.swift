// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import Foundation
import SchemaKit

/// An item for sale.
class ShopItem: Model, SchemaMapped {
  class var entityName: String { "Item" }

  let code = Field<UUID>()
    .require(.notNil)

  /// The common name.
  ///
  /// In "English".
  let name = Field<String>()
    .require(.notNil)
    .require(.length(2...40))
    .require(.matching(expression: "[A-Z]\\w*"))

  let `default` = Field<Bool>(true)

  let page = Field<URL>(URL(string: "https://example.org/"))

  let image = Field<Data>()

  let price = Field<Decimal>(Decimal(string: "1.50"))

  let weight = Field<Float>()
    .require(.range(0.0...))

  let stock = Field<Int>(3)
    .require(.notNil)
    .require(.range(0...))

  let made = Field<Date>(Date(timeIntervalSinceReferenceDate: 10.0))

  let extra = Field<JSONValue>()

  let note = Field<String>("a \"quoted\" \\(text)", key: "texts.note")

  let color = Field<ShopColor>()

  let parts: ModelArrayField<ShopPart> = ModelField<ShopPart>(deleteRule: .cascade, inverse: \.whole)*

  let similar: ModelArrayField<ShopItem> = (ModelField<ShopItem>(inverse: \.similar)*)
    .require(.count(...5))

  override var identifierField: AnyField? { code }
}

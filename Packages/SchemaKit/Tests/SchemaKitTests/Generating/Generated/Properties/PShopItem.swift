// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import Foundation
import SchemaKit

/// An item for sale.
class PShopItem: Model, SchemaMapped {
  class var entityName: String { "Item" }

  @Field(.notNil) var code: UUID?

  /// The common name.
  ///
  /// In "English".
  @Field(.notNil, .length(2...40), .matching(expression: "[A-Z]\\w*")) var name: String?

  @Field var `default`: Bool? = true

  @Field var page: URL? = URL(string: "https://example.org/")

  @Field var image: Data?

  @Field var price: Decimal? = Decimal(string: "1.50")

  @Field(.range(0.0...)) var weight: Float?

  @Required(.range(0...)) var stock: Int = 3

  @Field var made: Date? = Date(timeIntervalSinceReferenceDate: 10.0)

  @Field var extra: JSONValue?

  @Field(key: "texts.note") var note: String? = "a \"quoted\" \\(text)"

  @Field var color: ShopColor?

  @ModelArrayField(deleteRule: .cascade, inverse: \.$whole) var parts: [PShopPart]?

  let similar: ModelArrayField<PShopItem> = (ModelField<PShopItem>(inverse: \.similar)*)
    .require(.count(...5))

  override var identifierField: AnyField? { $code }
}

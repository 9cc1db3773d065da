// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Pricing of a model file.
final class MDLPricing: Model, SchemaMapped {
  static let entityName = "Pricing"

  let discountedPrice = Field<Double>(0.0)

  let pricingId = Field<Int>(key: "pricing_id")
    .require(.range(-32768...32767))

  let retailPrice = Field<Double>(0.0, key: "retail_price")

  let book: ModelField<MDLBook> = ModelField<MDLBook>()

  override var identifierField: AnyField? { pricingId }
}

// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Pricing of a model file.
final class PMDLPricing: Model, SchemaMapped {
  static let entityName = "Pricing"

  @Field var discountedPrice: Double? = 0.0

  @Field(.range(-32768...32767), key: "pricing_id") var pricingId: Int?

  @Field(key: "retail_price") var retailPrice: Double? = 0.0

  @ModelField var book: PMDLBook?

  override var identifierField: AnyField? { $pricingId }
}

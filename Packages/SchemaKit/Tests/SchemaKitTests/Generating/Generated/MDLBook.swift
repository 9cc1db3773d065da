// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Book of a model file.
final class MDLBook: Model, SchemaMapped {
  static let entityName = "Book"

  let bookId = Field<Int>(key: "book_id")
    .require(.range(-32768...32767))

  let favorite = Field<Bool>()

  let rating = Field<Int>(0)
    .require(.range(-2_147_483_648...2_147_483_647))

  let retailPrice = Field<Double>(0.0, key: "pricing.retail_price")

  let tags = Field<[String]>()

  let title = Field<String>()

  let year = Field<String>()

  let author: ModelField<MDLAuthor> = ModelField<MDLAuthor>()

  let pricing: ModelField<MDLPricing> = ModelField<MDLPricing>(inverse: \.book)

  override var identifierField: AnyField? { bookId }
}

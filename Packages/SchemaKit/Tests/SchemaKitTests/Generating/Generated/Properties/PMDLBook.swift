// Generated from the model file by swiftSource(for:). Changes are overwritten: write extensions in a file of your own.

import SchemaKit

/// The entity Book of a model file.
final class PMDLBook: Model, SchemaMapped {
  static let entityName = "Book"

  @Field(.range(-32768...32767), key: "book_id") var bookId: Int?

  @Field var favorite: Bool?

  @Field(.range(-2_147_483_648...2_147_483_647)) var rating: Int? = 0

  @Field(key: "pricing.retail_price") var retailPrice: Double? = 0.0

  @Field var tags: [String]?

  @Field var title: String?

  @Field var year: String?

  @ModelField var author: PMDLAuthor?

  @ModelField(inverse: \.$book) var pricing: PMDLPricing?

  override var identifierField: AnyField? { $bookId }
}

import Foundation
import ModelCore

/// An author in the sample. An author with books can't be deleted.
final class Author: Model {
  @Field var id: Int?
  @Required(.length(1...80)) var name = ""
  @Field var country: String?
  @Field(.range(-800...2010)) var born: Int?
  @ModelArrayField(deleteRule: .deny) var books: [Book]?
  override var identifierField: AnyField? { $id }
}

/// A book in the sample. Its reviews are deleted with it.
final class Book: Model {
  @Field var id: Int?
  @Required(.length(1...120)) var title = "Untitled"
  @Field(.range(-800...2100)) var published: Int?
  @Field var genre: String?
  @Field(.range(0...)) var price: Decimal?
  @Field var inStock: Bool?
  @Field var addedAt: Date?
  @ModelField(foreignKey: true, inverse: \.$books) var author: Author?
  @ModelArrayField(deleteRule: .cascade) var reviews: [Review]?
  override var identifierField: AnyField? { $id }
}

/// A review in the sample.
final class Review: Model {
  @Field var id: Int?
  @Required(.range(1...5)) var stars = 3
  @Required(.notBlank) var reviewer = "Anonymous"
  @Field(.length(0...2_000)) var text: String?
  @ModelField(foreignKey: true, inverse: \.$reviews) var book: Book?
  override var identifierField: AnyField? { $id }
}

package import Foundation
package import ModelKit

/// A book of the stock.
package final class Book: Model {
  package let id = Field<Int>(key: "book_id").requireNotNil().require(.range(1...))
  package let title = Field<String>().require(.notBlank)
  package let originalTitle = Field<String>(key: "original_title")
  /// The year of first publication; negative before the common era.
  package let published = Field<Int>().require(.range(-800...2100))
  package let language = Field<String>()
  package let price = Field<Decimal>().require(.range(0...))
  package let currency = Field<String>().require(.length(3...3))
  package let inStock = Field<Bool>(key: "in_stock")
  package let addedAt = Field<Date>(key: "added_at").transform(with: .day)
  package let tags = ArrayField(Field<String>().require(.notBlank), allowsDuplicates: false)
  package let rating = Field<Int>().require(.range(1...5))
  package let author = ModelField<Author>(key: "author_id", foreignKey: true, inverse: \.books)

  package override var identifierField: (any FieldProtocol)? { id }

  // The name in stores stays what it is when the class moves to another module.
  package override class var typeName: String { "Book" }

  // Whoever shows the books of the author learns that this one is gone.
  package override func afterDelete() { author.value = nil }
}

// Generated from the model file by `swift package generate-models`. Changes are overwritten.
// swift-format-ignore-file

#if hasFeature(InternalImportsByDefault)
  package import Foundation
  package import ModelKit
#else
  import Foundation
  import ModelKit
#endif

/// A book of the stock.
package class BookFields: Model, SchemaMapped {
  package class var entityName: String { "Book" }

  package override class var typeName: String {
    self == BookFields.self ? "BookFields" : "Book"
  }

  package let id = Field<Int>(key: "book_id")
    .require(.notNil)
    .require(.range(1...))

  package let title = Field<String>()
    .require(.notBlank)

  package let originalTitle = Field<String>(key: "original_title")

  /// The year of first publication; negative before the common era.
  package let published = Field<Int>()
    .require(.range(-800...2100))

  package let language = Field<String>()

  package let price = Field<Decimal>()
    .require(.range(0...))

  package let currency = Field<String>()
    .require(.length(3...3))

  package let inStock = Field<Bool>(key: "in_stock")

  package let addedAt = Field<Date>(key: "added_at")
    .transform(with: .day)

  package let tags = ArrayField(Field<String>().require(.notBlank), allowsDuplicates: false)

  package let rating = Field<Int>()
    .require(.range(1...5))

  package let author: ModelField<Author> = ModelField<Author>(key: "author_id", foreignKey: true)

  package override var identifierField: AnyField? { id }
}

// Generated from the model file by `swift package generate-models`. Changes are overwritten.
// swift-format-ignore-file

#if hasFeature(InternalImportsByDefault)
  package import Foundation
  package import ModelKit
#else
  import Foundation
  import ModelKit
#endif

/// An author of books. The record of an author does not hold the books: each book names its author.
package class AuthorFields: Model, SchemaMapped {
  package class var entityName: String { "Author" }

  package override class var typeName: String {
    self == AuthorFields.self ? "AuthorFields" : "Author"
  }

  package let id = Field<Int>(key: "author_id")
    .require(.notNil)
    .require(.range(1...))

  package let fullName = Field<String>(key: "name.full")
    .require(.notBlank)

  /// The name in the author's own script, where that is another.
  package let nativeName = Field<String>(key: "name.native")

  package let born = Field<Date>()
    .transform(with: .day)

  package let died = Field<Date>()
    .transform(with: .day)

  package let country = Field<String>()

  package let books: ModelArrayField<Book> = ModelField<Book>(inverse: \.author)*

  package override var identifierField: AnyField? { id }
}

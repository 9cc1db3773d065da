package import Foundation
package import ModelKit

/// Somebody who wrote books. The record of an author does not hold the books: each book names its author.
package final class Author: Model {
  package let id = Field<Int>(key: "author_id").requireNotNil().require(.range(1...))
  package let fullName = Field<String>(key: "name.full").require(.notBlank)
  package let nativeName = Field<String>(key: "name.native")
  package let born = Field<Date>().transform(with: .day)
  package let died = Field<Date>().transform(with: .day)
  package let country = Field<String>()
  package let books = ModelField<Book>()*

  package override var identifierField: (any FieldProtocol)? { id }

  // The name in stores stays what it is when the class moves to another module.
  package override class var typeName: String { "Author" }

  package override func fieldsForDictionaryValue() -> [any FieldProtocol] {
    super.fieldsForDictionaryValue().filter { $0 !== books }
  }
}

extension Author {
  /// The author and these books as one entry of a catalogue: the books nested, without the key of their author.
  package func catalogueEntry(books: [Book]) -> JSONValue {
    var entry = dictionaryValue
    entry["books"] = .array(
      books.map { book in
        .object(book.dictionaryValue(fields: book.fieldsForDictionaryValue().filter { $0 !== book.author }))
      })
    return .object(entry)
  }
}

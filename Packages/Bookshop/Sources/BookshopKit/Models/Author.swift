package import ModelKit

/// An author of books. The record of an author does not hold the books: each book names its author.
///
/// Its fields are in Author+Generated.swift, generated from Bookshop.xcdatamodeld.
package final class Author: AuthorFields {}

extension Author {
  /// Returns the author with books as an entry of a catalogue. The books are nested, without the key of their author.
  package func catalogueEntry(books: [Book]) -> JSONValue {
    var entry = dictionaryValue
    entry["books"] = .array(
      books.map { book in
        .object(book.dictionaryValue(fields: book.fieldsForDictionaryValue().filter { $0 !== book.author }))
      })
    return .object(entry)
  }
}

import BenchmarkHarness
import Foundation
import ModelCore

/// Authors with their books: models with inverse relations.
final class Author: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let born = Field<Int>()
  let books = ModelField<Book>()*

  override var identifierField: AnyField? { id }
}

final class Book: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let year = Field<Int>()
  let pages = Field<Int>()
  let author = ModelField<Author>(inverse: \.books)

  override var identifierField: AnyField? { id }
}

/// The same authors as classes for `JSONDecoder` and `JSONEncoder`.
final class CodableAuthor: Codable {
  let id: Int?
  let name: String?
  let born: Int?
  let books: [CodableBook]

  init(number: Int, bookCount: Int) {
    id = number
    name = "Author of \(bookCount) books, number \(number)"
    born = 1800 + number % 200
    books = (0..<bookCount).map { CodableBook(number: number * bookCount + $0) }
  }
}

final class CodableBook: Codable {
  let id: Int?
  let title: String?
  let year: Int?
  let pages: Int?

  init(number: Int) {
    id = number
    title = "The book with the number \(number)"
    year = 1850 + number % 170
    pages = 80 + number % 700
  }
}

/// The input of the benchmarks.
enum Library {
  static let booksOfAnAuthor = 9

  /// Returns authors with nine books each.
  static func authors(_ count: Int) -> [CodableAuthor] {
    (0..<count).map { CodableAuthor(number: $0, bookCount: booksOfAnAuthor) }
  }

  static func checksum(_ authors: [Author]) -> UInt64 {
    var checksum = Checksum()
    for author in authors {
      checksum.add(author.id.value)
      checksum.add(author.name.value)
      checksum.add(author.born.value)
      for book in author.books.value ?? [] {
        checksum.add(book.id.value)
        checksum.add(book.title.value)
        checksum.add(book.year.value)
        checksum.add(book.pages.value)
        // The inverse must be set as well.
        if book.author.value !== author { checksum.add(-1) }
      }
    }
    return checksum.value
  }

  static func checksum(_ authors: [CodableAuthor]) -> UInt64 {
    var checksum = Checksum()
    for author in authors {
      checksum.add(author.id)
      checksum.add(author.name)
      checksum.add(author.born)
      for book in author.books {
        checksum.add(book.id)
        checksum.add(book.title)
        checksum.add(book.year)
        checksum.add(book.pages)
      }
    }
    return checksum.value
  }
}

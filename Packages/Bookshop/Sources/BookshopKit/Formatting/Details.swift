import ModelKit

/// The details of a book or author as text: a heading, and a line for each known value.
package struct Details {
  private let style: Style

  package init(_ style: Style) { self.style = style }

  /// Returns the details of a book with the name of its author.
  package func lines(_ book: Book) -> [String] {
    let record = book.dictionaryValue
    let author = book.author.value
    return heading(book.title.value, book.id.value, "book")
      + facts([
        ("original title", book.originalTitle.value),
        ("author", author.map { "\($0.fullName.value ?? "?") (\($0.identifier ?? "?"))" }),
        ("published", book.published.value.map(String.init)),
        ("language", book.language.value),
        ("price", book.priceText),
        ("in stock", book.inStock.value.map { $0 ? "yes" : "no" }),
        ("added", record["added_at"]?.stringValue),
        ("tags", book.tagText),
        ("rating", book.stars.isEmpty ? "none" : style.yellow(book.stars)),
      ])
  }

  /// Returns the details of an author with a table of books.
  package func lines(_ author: Author, books: [Book]) -> [String] {
    let record = author.dictionaryValue
    return heading(author.fullName.value, author.id.value, "author")
      + facts([
        ("native name", author.nativeName.value),
        ("born", record["born"]?.stringValue),
        ("died", record["died"]?.stringValue),
        ("country", author.country.value),
        ("books", String(books.count)),
      ]) + BookTable(style).lines(books).map { "  " + $0 }
  }

  private func heading(_ title: String?, _ id: Int?, _ kind: String) -> [String] {
    [style.bold(title ?? "?") + style.dim("  (\(kind) \(id.map(String.init) ?? "?"))")]
  }

  private func facts(_ facts: [(name: String, value: String?)]) -> [String] {
    facts.compactMap { fact in
      guard let value = fact.value, !value.isEmpty else { return nil }
      return "  \(fact.name)\(String(repeating: " ", count: 16 - fact.name.count))\(value)"
    }
  }
}

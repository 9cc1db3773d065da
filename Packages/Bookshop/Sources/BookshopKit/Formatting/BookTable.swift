import Foundation
import ModelKit

/// Books as lines of text in columns.
package struct BookTable {
  private let style: Style

  package init(_ style: Style) { self.style = style }

  /// Returns one line for each book, with columns as wide as their widest text.
  package func lines(_ books: [Book]) -> [String] {
    let rows = books.map(Row.init)
    let width = Row.columns.map { column in rows.map { $0[keyPath: column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = [
        row.id.padded(toRight: width[0]), style.bold(row.title) + row.title.padding(width[1]),
        row.author + row.author.padding(width[2]), row.year.padded(toRight: width[3]),
        row.price.padded(toRight: width[4]), style.yellow(row.stars) + row.stars.padding(width[5]),
        style.dim(row.tags),
      ]
      return String(cells.joined(separator: "  ").trimmingSuffix { $0 == " " })
    }
  }

  private struct Row {
    let id, title, author, year, price, stars, tags: String

    static var columns: [KeyPath<Row, String>] { [\.id, \.title, \.author, \.year, \.price, \.stars, \.tags] }

    init(_ book: Book) {
      id = book.id.value.map(String.init) ?? "?"
      title = book.title.value ?? "?"
      author = book.author.value?.fullName.value ?? "?"
      year = book.published.value.map(String.init) ?? ""
      price = book.priceText
      stars = book.stars
      tags = book.tagText
    }
  }
}

extension Book {
  /// The rating as stars; empty for a book without one.
  package var stars: String {
    guard let rating = rating.value, (1...5).contains(rating) else { return "" }
    return String(repeating: "★", count: rating) + String(repeating: "☆", count: 5 - rating)
  }

  /// The price with at least two decimal places, and the currency.
  package var priceText: String {
    guard let price = price.value else { return "" }
    let parts = "\(price)".split(separator: ".")
    let cents = parts.count > 1 ? String(parts[1]) : ""
    let text = "\(parts[0])." + cents + String(repeating: "0", count: max(0, 2 - cents.count))
    return [text, currency.value].compactMap(\.self).joined(separator: " ")
  }

  /// The tags, separated by commas.
  package var tagText: String { (tags.value ?? []).joined(separator: ", ") }
}

extension String {
  fileprivate func padding(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) }
  fileprivate func padded(toRight width: Int) -> String { padding(width) + self }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> SubSequence {
    self[..<(lastIndex { !isTrimmed($0) }.map { index(after: $0) } ?? startIndex)]
  }
}

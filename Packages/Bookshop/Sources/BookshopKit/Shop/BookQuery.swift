import Foundation
import ModelKit

/// A query for books: filters, an order and a limit.
package struct BookQuery: Hashable, Sendable {
  /// The value that books are sorted by.
  package enum Order: String, CaseIterable, Sendable {
    case title, year, author, rating, price
  }

  /// A part of the author's name; case and accents are ignored.
  package var author: String?
  /// Tags that a book must have, all of them.
  package var tags: [String] = []
  /// The lowest rating; books without one are left out.
  package var minimumRating: Int?
  /// The order; nil for the order of creation. Books without the value are last.
  package var order: Order?
  /// Whether the order is reversed.
  package var isReversed = false
  /// The maximum number of books.
  package var limit: Int?

  package init() {}

  /// Returns the books that match the query, in its order.
  package func callAsFunction(_ books: [Book]) -> [Book] {
    var found = sorted(books.filter(includes))
    if isReversed { found.reverse() }
    return limit.map { Array(found.prefix($0)) } ?? found
  }

  private func includes(_ book: Book) -> Bool {
    if let minimumRating, (book.rating.value ?? 0) < minimumRating { return false }
    if !tags.allSatisfy(book.tags.contains) { return false }
    guard let author else { return true }
    let names = [book.author.value?.fullName.value, book.author.value?.nativeName.value]
    return names.contains { name in
      name?.range(of: author, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
  }

  private func sorted(_ books: [Book]) -> [Book] {
    switch order {
    case nil: books
    case .title: sorted(books) { $0.title.value?.sortingKey }
    case .author: sorted(books) { $0.author.value?.fullName.value?.sortingKey }
    case .year: sorted(books) { $0.published.value }
    case .rating: sorted(books) { $0.rating.value }
    case .price: sorted(books) { $0.price.value }
    }
  }

  private func sorted<Key: Comparable>(_ books: [Book], by key: (Book) -> Key?) -> [Book] {
    // Each key is computed once. Books with equal keys keep their order, because the sort of the standard library is
    // stable.
    let keyed = books.map { (key: key($0), book: $0) }
    let sorted = keyed.filter { $0.key != nil }.sorted { left, right in
      guard let left = left.key, let right = right.key else { return false }
      return left < right
    }
    let rest = keyed.filter { $0.key == nil }
    return (isReversed ? rest + sorted : sorted + rest).map(\.book)
  }
}

extension String {
  fileprivate var sortingKey: String { folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil) }
}

import ModelKit

/// A stand-in for a window of the shop. It observes models and prints their changes.
final class ShopWindow: ObservationOwner {
  private let say: (String) -> Void

  init(say: @escaping (String) -> Void) { self.say = say }

  /// Observes a book until the window is deallocated or ``hide(_:)`` is called.
  func show(_ book: Book) {
    let title = book.title.value ?? "?"
    book.rating
      --> self { window, rating in
        window.say("the window shows \(title) with \(rating.map { "\($0) of 5 stars" } ?? "no rating")")
      }
    book.tags
      --> self { window, tags in
        window.say("the window shows \(title) under \((tags ?? []).joined(separator: ", "))")
      }
  }

  /// Observes the number of books by an author.
  func show(_ author: Author) {
    let name = author.fullName.value ?? "?"
    author.books
      --> self { window, books in window.say("the window shows \(counted(books?.count ?? 0, "book")) by \(name)") }
  }

  /// Ends the observation of a book.
  func hide(_ book: Book) {
    book.rating -/-> self
    book.tags -/-> self
  }
}

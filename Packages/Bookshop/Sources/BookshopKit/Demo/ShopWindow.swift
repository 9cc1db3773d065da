import ModelKit

/// What a window of the shop would show: it observes the models, and nobody has to tell it anything.
final class ShopWindow: ObservationOwner {
  private let say: (String) -> Void

  init(say: @escaping (String) -> Void) { self.say = say }

  /// Shows a book from now on, as long as the window lives.
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

  /// Shows how many books there are by an author.
  func show(_ author: Author) {
    let name = author.fullName.value ?? "?"
    author.books
      --> self { window, books in window.say("the window shows \(counted(books?.count ?? 0, "book")) by \(name)") }
  }

  /// Ends what `show` began.
  func forget(_ book: Book) {
    book.rating -/-> self
    book.tags -/-> self
  }
}

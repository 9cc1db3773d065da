import ArgumentParser
import BookshopKit
import ModelKit

struct RemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "remove", abstract: "Removes a book, or an author.")

  @Argument(help: "The number of the book or author.")
  var id: Int
  @Flag(name: .customLong("author"), help: "Remove the author with this number, even if a book has it.")
  var isAuthor = false
  @Flag(help: "Remove the author's books too.")
  var withBooks = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await store.withShop { shop in
      do {
        if isAuthor { throw ShopError.noBook(id: id) }
        let book = try await shop.removeBook(id)
        try output.print(["removed_books": 1, "removed_authors": 0]) { _ in ["Removed \(book.title.value ?? "?")."] }
      } catch ShopError.noBook {
        do {
          let (author, books) = try await shop.removeAuthor(id, withBooks: withBooks)
          try output.print(["removed_books": .int(books), "removed_authors": 1]) { _ in
            ["Removed \(author.fullName.value ?? "?")\(books > 0 ? " and \(counted(books, "book"))" : "")."]
          }
        } catch ShopError.noAuthor {
          throw isAuthor ? ShopError.noAuthor(id: id) : ShopError.noBookOrAuthor(id: id)
        }
      }
    }
  }
}

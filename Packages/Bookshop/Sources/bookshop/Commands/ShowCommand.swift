import ArgumentParser
import BookshopKit
import ModelKit

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows a book, or an author with all books.")

  @Argument(help: "The number of the book or author.")
  var id: Int
  @Flag(name: .customLong("author"), help: "Show the author with this number, even if a book has it.")
  var isAuthor = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await store.withShop { shop in
      do {
        if isAuthor { throw ShopError.noBook(id: id) }
        let book = try await shop.book(id)
        try output.print(.object(book.dictionaryValue)) { Details($0).lines(book) }
      } catch ShopError.noBook {
        do {
          let (author, books) = try await shop.author(id)
          try output.print(author.catalogueEntry(books: books)) { Details($0).lines(author, books: books) }
        } catch ShopError.noAuthor {
          throw isAuthor ? ShopError.noAuthor(id: id) : ShopError.noBookOrAuthor(id: id)
        }
      }
    }
  }
}

import ArgumentParser
import BookshopKit
import ModelKit

struct RateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "rate", abstract: "Gives a book a rating from 1 to 5.")

  @Argument(help: "The number of the book.")
  var id: Int
  @Argument(help: "The rating.")
  var rating: Int
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let book = try await store.withShop { try await $0.rate(id, rating) }
    try output.print(.object(book.dictionaryValue)) { style in
      ["\(style.bold(book.title.value ?? "?")): \(style.yellow(book.stars))"]
    }
  }
}

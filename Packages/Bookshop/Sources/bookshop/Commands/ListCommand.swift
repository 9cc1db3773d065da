import ArgumentParser
import BookshopKit
import ModelKit

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists books.",
    discussion: "The default is the order of creation. Books without the value to sort by are last.")

  @Option(help: ArgumentHelp("Only books by authors with this in their name.", valueName: "text"))
  var author: String?
  @Option(
    name: .customLong("tag"), help: ArgumentHelp("Only books with this tag. Can be repeated.", valueName: "tag"))
  var tags: [String] = []
  @Option(help: ArgumentHelp("Only books with at least this rating.", valueName: "1-5"))
  var rating: Int?
  @Option(help: "The value to sort by: title, year, author, rating or price.")
  var sort: BookQuery.Order?
  @Flag(help: "Reverse the order.")
  var reverse = false
  @Option(help: ArgumentHelp("The maximum number of books.", valueName: "number"))
  var limit: Int?
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let rating, !(1...5).contains(rating) { throw ValidationError("A rating is a number from 1 to 5.") }
    if let limit, limit < 0 { throw ValidationError("A limit is 0 or more.") }
  }

  func run() async throws {
    var query = BookQuery()
    query.author = author
    query.tags = tags
    query.minimumRating = rating
    query.order = sort
    query.isReversed = reverse
    query.limit = limit
    let books: [Book]
    do {
      books = query(try await store.withShop { try await $0.books() })
    } catch let error as ShopError {
      // A shop without a store has no books, which is not an error.
      guard case .noStore = error else { throw error }
      printToStandardError(error.description)
      return try output.print([]) { _ in [] }
    }
    if books.isEmpty, !output.isJSON { printToStandardError("No books.") }
    try output.print(.array(books.map { .object($0.dictionaryValue) })) { BookTable($0).lines(books) }
  }
}

extension BookQuery.Order: ExpressibleByArgument {}

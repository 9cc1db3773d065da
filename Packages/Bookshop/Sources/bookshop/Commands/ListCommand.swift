import ArgumentParser
import BookshopKit
import ModelKit

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists books.",
    discussion: "Without --sort they come in the order in which they were added. Books without the value come last.")

  @Option(help: ArgumentHelp("Only by authors with this in their name.", valueName: "text"))
  var author: String?
  @Option(
    name: .customLong("tag"), help: ArgumentHelp("Only with this tag. May be given more than once.", valueName: "tag"))
  var tags: [String] = []
  @Option(help: ArgumentHelp("Only with at least this rating.", valueName: "1-5"))
  var rating: Int?
  @Option(help: "What to sort by: title, year, author, rating or price.")
  var sort: BookQuery.Order?
  @Flag(help: "Turn the order round.")
  var reverse = false
  @Option(help: ArgumentHelp("How many books at most.", valueName: "number"))
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
      // A shop without a store has no books, which is no error.
      guard case .noStore = error else { throw error }
      printToStandardError(error.description)
      return try output.print([]) { _ in [] }
    }
    if books.isEmpty, !output.isJSON { printToStandardError("No books.") }
    try output.print(.array(books.map { .object($0.dictionaryValue) })) { BookTable($0).lines(books) }
  }
}

extension BookQuery.Order: ExpressibleByArgument {}

import ArgumentParser
import BookshopKit
import Foundation
import ModelKit

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes all authors and books to a file that can be imported again.")

  @Argument(help: "The file. An existing one is replaced once the new one is complete.")
  var file: String
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let (authors, books, leftOut) = try await store.withShop { try await $0.export(to: URL(filePath: file)) }
    for book in leftOut {
      let author = book.author.value?.identifier.map { "author \($0) is not in the store" } ?? "it has no author"
      printToStandardError("left out: book \(book.identifier ?? "?"): \(author)")
    }
    try output.print(["authors": .int(authors), "books": .int(books), "left_out": .int(leftOut.count)]) { _ in
      ["Wrote \(counted(authors, "author")) and \(counted(books, "book")) to \(file)."]
    }
  }
}

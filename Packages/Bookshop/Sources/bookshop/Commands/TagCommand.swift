import ArgumentParser
import BookshopKit
import ModelKit

struct TagCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag", abstract: "Adds tags to a book, and removes others.",
    discussion: "For example: bookshop tag 101 +classic -novel")

  @Argument(help: "The number of the book.")
  var id: Int
  // Any argument with a single hyphen is a tag to remove, and not an unknown option.
  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("+tag adds a tag, -tag removes one.", valueName: "changes"))
  var changes: [String]
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws { _ = try tagChanges() }

  func run() async throws {
    let changes = try tagChanges()
    let book = try await store.withShop { try await $0.tag(id, changes) }
    try output.print(.object(book.dictionaryValue)) { style in
      ["\(style.bold(book.title.value ?? "?")): \(book.tagText)"]
    }
  }

  private func tagChanges() throws -> [TagChange] {
    do {
      return try changes.filter { $0 != "--" }.map { try TagChange($0) }
    } catch {
      throw ValidationError("\(error)")
    }
  }
}

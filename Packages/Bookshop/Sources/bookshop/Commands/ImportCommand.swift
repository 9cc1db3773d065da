import ArgumentParser
import BookshopKit
import Foundation

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Reads a catalogue of authors and their books into the store.",
    discussion: """
      The file is JSON: an object with a list under "authors", or that list. If it is not valid JSON, nothing is imported. \
      Invalid entries are reported, and the others are imported; those that the store has already are updated. The \
      status is 1 if every entry was rejected.
      """)

  @Argument(help: "The catalogue.")
  var file: String?
  @Flag(name: .customLong("catalogue"), help: "Import the catalogue that comes with the program.")
  var usesShippedCatalogue = false
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if (file != nil) == usesShippedCatalogue {
      throw ValidationError("Name a file to import, or give --catalogue for the one that comes with the program.")
    }
  }

  func run() async throws {
    let file = try CatalogueFile(contentsOf: file.map { URL(filePath: $0) } ?? shippedCatalogue())
    let report = try await store.withProgress("Importing") { try await $0.importCatalogue(file) }
    try output.print(report)
  }
}

/// The catalogue that comes with the program.
func shippedCatalogue() throws -> URL {
  guard let url = Bundle.module.url(forResource: "catalogue", withExtension: "json") else {
    throw ShopError.unusableFile("The catalogue that belongs to this program is not beside it. Nothing was imported.")
  }
  return url
}

import ArgumentParser
import BookshopKit

struct PullCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "Copies authors and books from a server. Nothing is deleted here.")

  @Argument(help: "The address of the server; authors are at URL/authors, books at URL/books.")
  var url: Address
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try output.print(try await store.withProgress("Pulling") { try await $0.pull(from: url.url) })
  }
}

import ArgumentParser
import BookshopKit
import Foundation

struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Sends missing and changed authors and books to a server. Nothing is deleted there.")

  @Argument(help: "The address of the server; authors are at URL/authors, books at URL/books.")
  var url: Address
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    guard Shop.exists(at: URL(filePath: store.path)) else { throw ShopError.noStore(path: store.path) }
    try output.print(try await store.withProgress("Pushing") { try await $0.push(to: url.url) })
  }
}

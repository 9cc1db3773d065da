import ArgumentParser
import BookshopKit
import Foundation

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Exchanges changes with a server, in both directions, deletions too.",
    discussion: """
      All other commands work without the server. Their changes wait until the next sync. Use the same server each time: \
      records that it no longer has are removed here.
      """)

  @Argument(help: "The address of the server; authors are at URL/authors, books at URL/books.")
  var url: Address
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let summary = try await store.withShop(makesStore: true) { try await $0.sync(with: url.url) }
    let style = Style(forStandardStream: STDERR_FILENO)
    if !output.isJSON { summary.failures.forEach { printToStandardError(style.red($0)) } }
    try output.print(summary.json) { _ in summary.lines }
    if !summary.failures.isEmpty { throw ExitCode.failure }
  }
}

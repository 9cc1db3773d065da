import ArgumentParser
import BenchmarkHarness
import Foundation

struct StoreSizesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-sizes", abstract: "Says what a file store needs on the disk and in memory.")

  @Option(help: "How many people are in it.")
  var count = 1_000_000

  @Option(help: "Where the store is made, a folder on a disk. Default: beside this program.")
  var directory: String?

  func validate() throws {
    if count < 1_000 { throw ValidationError("So few people say nothing: give --count 1000 or more.") }
  }

  func run() async throws { try await measure() }

  @concurrent
  private func measure() async throws {
    print(MarkdownReport.table(try await StoreSizes.table(count: count, in: StoreFolder.Place(directory))))
  }
}

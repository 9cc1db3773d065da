import ArgumentParser
import BenchmarkHarness
import Foundation

struct StoreSizesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-sizes", abstract: "Prints the size of a file store on the disk and in memory.")

  @Option(help: "The number of people in the store.")
  var count = 1_000_000

  @Option(help: "The folder of the store, on a disk. Default: beside this program.")
  var directory: String?

  func validate() throws {
    if count < 1_000 {
      throw ValidationError("The results are not useful for so few people: give --count 1000 or more.")
    }
  }

  func run() async throws { try await measure() }

  @concurrent
  private func measure() async throws {
    print(MarkdownReport.table(try await StoreSizes.table(count: count, in: StoreFolder.Place(directory))))
  }
}

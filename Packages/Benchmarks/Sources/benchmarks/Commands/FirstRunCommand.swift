import ArgumentParser
import BenchmarkHarness
import Foundation

struct FirstRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "first-run", abstract: "Times some work that this process does for the first time.",
    discussion: "Prints nanoseconds and a checksum. The benchmarks of first runs start it for each round.",
    shouldDisplay: false)

  @Argument(help: "The work.")
  var work: FirstRun

  @Option(help: "The number of people.")
  var count: Int

  @Option(help: "The number of other people that are live meanwhile.")
  var others = 0

  @Option(help: "The folder with the input.")
  var folder: String

  func run() async throws { try await measure() }

  @concurrent
  private func measure() async throws {
    let url = URL(filePath: folder, directoryHint: .isDirectory)
    let (time, checksum) = try await work.measure(in: url, count: count, others: others)
    print(Int64(time / .nanoseconds(1)), checksum)
  }
}

extension FirstRun: ExpressibleByArgument {}

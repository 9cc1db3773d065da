import ArgumentParser
import BookshopKit
import Foundation

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Shows all commands on the catalogue that comes with the program.",
    discussion: "Everything happens in a fresh temporary folder, which is removed at the end.")

  @Option(help: ArgumentHelp("A server to push to and pull from as well.", valueName: "url"))
  var remote: Address?

  func run() async throws {
    let demo = Demo(
      catalogue: try shippedCatalogue(), remote: remote?.url, style: Style(forStandardStream: STDOUT_FILENO)
    ) { print($0) }
    try await demo.run()
  }
}

import ArgumentParser
import BookshopKit
import Foundation

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves authors and books to shops on this machine, until Control-C.",
    discussion: "Shops use its address with the commands push, pull and sync. Its folder is not that of a shop.")

  @Option(help: "The port; 0 for a free one.")
  var port: UInt16 = 8080
  @Option(name: .customLong("store"), help: ArgumentHelp("The folder of the server.", valueName: "dir"))
  var path = "./server.store"

  func run() async throws {
    let server = try ShopServer(directory: URL(filePath: path), port: port)
    FileHandle.standardOutput.write(Data("Serving \(path) at \(server.url)\n".utf8))
    // Each response follows its commit, so the process can be ended at any time.
    while true { try await Task.sleep(for: .seconds(3_600)) }
  }
}

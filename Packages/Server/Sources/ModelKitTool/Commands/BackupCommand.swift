import ArgumentParser
import FileStore
import Foundation

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copies a snapshot of a store, with all groups, into another folder.",
    discussion: "The copy is complete or absent: an interrupted backup leaves no partial copy.")

  @Argument(help: ArgumentHelp("A folder that does not exist yet.", valueName: "folder"))
  var target: String
  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await store.withStore(.readWrite) { try await $0.backup(to: URL(filePath: target)) }
    try output.print(["backup": .string(target)], ["The backup is in '\(target)'."])
  }
}

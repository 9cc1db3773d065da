import ArgumentParser
import FieldKit
import FileStore
import Foundation

struct RepairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Keeps all readable records of a group of a store, and moves damaged bytes to a file.")

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let repair = try await store.withStore(.readWrite) { try await $0.repair() }
    let quarantine = repair.quarantine?.path(percentEncoded: false)
    try output.print(
      [
        "kept": .int(repair.recoveredCount), "losses": .array(repair.losses.map { .string($0.description) }),
        "quarantine": quarantine.map { .string($0) } ?? .null,
      ], [repair.description])
  }
}

import ArgumentParser
import FileStore
import Foundation

struct CompactCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Removes older revisions and deleted records from the files of a group of a store.")

  @OptionGroup var store: StoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let before = size()
    try await store.withStore(.readWrite) { try await $0.compact() }
    let after = size()
    try output.print(
      ["bytesBefore": .int(before), "bytesAfter": .int(after)], ["\(after) bytes are left of \(before)."])
  }

  private func size() -> Int {
    let files = FileManager.default.enumerator(
      at: URL(filePath: store.path), includingPropertiesForKeys: [.fileSizeKey])
    return (files?.compactMap { $0 as? URL } ?? [])
      .reduce(0) { $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0) }
  }
}

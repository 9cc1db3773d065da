import ArgumentParser
@_spi(ModelKitInternals) import FileStore
import Foundation

/// The folder of a file store that exists.
struct StoreOptions: ParsableArguments {
  @Option(name: .customLong("store"), help: ArgumentHelp("The folder of the store.", valueName: "folder"))
  var path: String
  @Option(help: "The group of the store; otherwise the default group.")
  var group = ""

  func validate() throws {
    if path.isEmpty || path == "memory:" || path.contains("://") {
      throw ValidationError("--store '\(path)' is not a folder: this command is for stores in files.")
    }
  }

  /// Runs a function with the store, and closes the store in any case.
  ///
  /// - Parameters:
  ///   - mode: whether the function may write.
  ///   - creates: whether a missing store is created; otherwise it is an error.
  ///   - acceptsAnyVersion: whether the records may be those of another version of the models.
  func withStore<Result>(
    _ mode: FileStoreMode, creates: Bool = false, acceptsAnyVersion: Bool = true,
    _ body: (FileModelStore) async throws -> Result
  ) async throws -> Result {
    if !creates, !FileManager.default.fileExists(atPath: path) {
      throw ToolError("There is no store at '\(path)'. Check the path given with --store.")
    }
    var options = FileStoreOptions(mode: mode)
    options.acceptsAnyVersion = acceptsAnyVersion
    let store = FileModelStore(directory: URL(filePath: path), options: options)
    let group = group.isEmpty ? store : store.group(group)
    let folder = group.handle.groupFolder.path(percentEncoded: false)
    if !creates, !self.group.isEmpty, !FileManager.default.fileExists(atPath: folder) {
      throw ToolError("There is no group '\(self.group)' in '\(path)'. Check the name given with --group.")
    }
    let result: Result
    do {
      result = try await body(group)
    } catch {
      try? await store.close()
      throw error
    }
    try await store.close()
    return result
  }
}

/// A line on a terminal with the progress of an operation.
struct ProgressLine {
  private let label: String
  private let isShown = isatty(STDERR_FILENO) == 1

  init(_ label: String) { self.label = label }

  func show(_ progress: FileStoreProgress) { show(progress.fractionCompleted, ", \(progress.modelCount) models") }

  /// - Parameter suffix: a text after the percentage.
  func show(_ fraction: Double, _ suffix: String = "") {
    guard isShown else { return }
    let percent = Int(fraction * 100)
    FileHandle.standardError.write(Data("\r\(label) \(percent) %\(suffix)".utf8))
    if percent == 100 { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
  }
}

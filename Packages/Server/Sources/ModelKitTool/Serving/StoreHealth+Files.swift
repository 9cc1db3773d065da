@_spi(ModelKitInternals) import FileStore
import Foundation
import ModelServer

extension StoreHealth {
  /// The health of the default group of a file store.
  ///
  /// - Parameters:
  ///   - handle: the handle of the store, which is open.
  ///   - issues: the issues that were found when the store was opened.
  init(of handle: FileStoreHandle, issues: [IntegrityIssue]) {
    self.init {
      Self.figures(of: handle, issues)
    } check: { progress in
      try await FileModelStore(handle).verify(progress: progress).map(\.description)
    }
  }

  private static func figures(of handle: FileStoreHandle, _ issues: [IntegrityIssue]) -> [Figure] {
    let all = Self.files(in: handle.directory)
    let group = Self.files(in: handle.groupFolder)
    let journal = group.filter { $0.name.hasSuffix(".journal") }
    let checkpoint = group.first { $0.name == "index.checkpoint" }
    let quarantined = all.filter { $0.name.hasSuffix(".quarantine") }
    var figures = [
      Figure("Folder", .text(handle.directory.path(percentEncoded: false))),
      Figure("Opened for", .text(handle.options.mode == .readOnly ? "reading" : "reading and writing")),
      Figure("Size on disk", .bytes(Self.size(of: all))),
      Figure("Journal", .bytes(Self.size(of: journal))),
      Figure("Files of the journal", .text("\(journal.count)")),
    ]
    if let checkpoint {
      figures.append(Figure("Last checkpoint", .date(checkpoint.date)))
      figures.append(Figure("Size of the checkpoint", .bytes(checkpoint.size)))
    } else {
      figures.append(Figure("Last checkpoint", .text("none yet: it is written when the journal has grown")))
    }
    if !quarantined.isEmpty { figures.append(Figure("In quarantine", .bytes(Self.size(of: quarantined)))) }
    figures += issues.map { Figure("Found when opened", .text($0.description)) }
    return figures
  }

  private struct File {
    let name: String
    let size: Int
    let date: Date
  }

  private static func size(of files: [File]) -> Int { files.reduce(0) { $0 + $1.size } }

  /// Returns the files of a folder and of the folders in it. One that is removed meanwhile is left out.
  private static func files(in folder: URL) -> [File] {
    let keys: [URLResourceKey] = [.fileSizeKey, .contentModificationDateKey, .isRegularFileKey]
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: keys)
    return (found?.compactMap { $0 as? URL } ?? []).compactMap { url in
      guard let values = try? url.resourceValues(forKeys: Set(keys)), values.isRegularFile == true else { return nil }
      return File(
        name: url.lastPathComponent, size: values.fileSize ?? 0, date: values.contentModificationDate ?? .distantPast)
    }
  }
}

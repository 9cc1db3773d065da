@_spi(ModelKitInternals) import FieldKit
public import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The result of a repair: the damage, and the files that keep it.
///
/// ```swift
/// let repair = try await store.repair()
/// for loss in repair.losses { print(loss) }
/// ```
public struct FileStoreRepair: Sendable, CustomStringConvertible {
  /// Something that was not what had been written.
  public struct Loss: Sendable, Hashable, CustomStringConvertible {
    /// The fault, its file, and its offset.
    public let issue: IntegrityIssue
    /// The name of the type of the model whose record it was; nil if that is unknown.
    public let typeName: String?
    /// The identifier of the model whose record it was; nil if that is unknown.
    public let identifier: String?
    /// The revision of that model that the store has now: an older one that was readable, or one that was written after
    /// the one that was lost. Nil if the model is not there any more, or not known.
    public let keptRevision: UInt64?

    /// A sentence for the person who looks after the store.
    public var description: String {
      guard let typeName, let identifier else { return issue.description }
      let rest = keptRevision.map { "revision \($0) of it is there" } ?? "nothing of it is left"
      return "\(issue) It was a record of \(typeName.nameForMessage) \(identifier.quotedForMessage): \(rest)."
    }
  }

  /// The losses, one for each record that can be identified. Empty if the files were sound: then nothing was changed.
  public internal(set) var losses: [Loss] = []
  /// The file with all damaged bytes, each piece behind a line with its origin; nil if there were none. If only the
  /// manifest was damaged, it is the copy of that, in the folder of the store.
  public internal(set) var quarantine: URL?
  /// How many models the group has now, all of them readable.
  public internal(set) var keptCount = 0

  /// Sentences for the person who looks after the store.
  public var description: String {
    if losses.isEmpty { return "Nothing is damaged. All \(keptCount) models are readable." }
    let moved = quarantine.map { " The damaged bytes are in '\($0.path(percentEncoded: false))'." } ?? ""
    return
      (["\(keptCount == 1 ? "1 model was" : "\(keptCount) models were") kept.\(moved)"] + losses.map(\.description))
      .joined(separator: "\n")
  }
}

extension FileModelStore {
  /// Reads the whole journal of this group, keeps everything that is readable, and moves the rest to a quarantine file. The
  /// store is sound after that: ``verify()`` finds nothing, and ``compact()`` works again.
  ///
  /// Of a model whose last revision is damaged, the last one that is readable counts again. Nothing is thrown away: the
  /// damaged bytes are in the quarantine file, beside the journal, before anything is replaced. A crash at any moment leaves
  /// the journal as it was or as it is to be. If nothing is damaged, nothing is changed.
  ///
  /// A task that is cancelled ends it as long as it has changed nothing; once everything was read, it is completed.
  ///
  /// Writes wait until it is done. A list that is being read meanwhile may have models twice, or leave some out.
  ///
  /// - Returns: what was wrong, where, and what was kept.
  /// - Throws: `ModelStoreError`. Its code is `unsupported` if the store was opened for reading only, `cancelled` if the
  ///   task was cancelled in time, or that of an error of the disk. The journal is unchanged then.
  /// - Complexity: O(*n*) in the size of the journal.
  @discardableResult
  public func repair() async throws -> FileStoreRepair {
    try await translating { try await handle.engine.repair() }
  }
}

extension FileEngine {
  func repair() async throws -> FileStoreRepair {
    if isReadOnly { throw FileEngineError.readOnly(directory: service.directory) }
    _ = try await contents()
    return try await service.holding(group) { [group] in
      try await service.writing(stopping: { writer, shouldStop in try writer.repair(group, shouldStop: shouldStop) })
    }
  }
}

@_spi(ModelKitInternals) import FieldKit
public import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The result of a repair: the damage, and the quarantine file that keeps it.
///
/// ```swift
/// let repair = try await store.repair()
/// for loss in repair.losses { print(loss) }
/// ```
public struct FileStoreRepair: Sendable, CustomStringConvertible {
  /// A damaged or missing part of the files.
  public struct Loss: Sendable, Hashable, CustomStringConvertible {
    /// The issue, with its file and offset.
    public let issue: IntegrityIssue
    /// The type name of the model of the lost record; nil if it is unknown.
    public let typeName: String?
    /// The identifier of the model of the lost record; nil if it is unknown.
    public let identifier: String?
    /// The stored revision of that model after the repair: an older readable one, or one written after the lost one.
    /// Nil if there is none, or the model is unknown.
    public let keptRevision: UInt64?

    /// A message with the issue, the model, and the revision that is stored now.
    public var description: String {
      guard let typeName, let identifier else { return issue.description }
      let rest = keptRevision.map { "revision \($0) of it is stored" } ?? "no revision of it is left"
      return "\(issue) It was a record of \(typeName.nameForMessage) \(identifier.quotedForMessage): \(rest)."
    }
  }

  /// The losses, one for each identified record. Empty if the files were intact: then nothing was changed.
  public internal(set) var losses: [Loss] = []
  /// The quarantine file with all damaged bytes, each piece preceded by a line with its origin; nil if there were none.
  /// If only the manifest was damaged, it is the copy of the manifest, in the folder of the store.
  public internal(set) var quarantine: URL?
  /// The number of models of the group after the repair, all of them readable.
  public internal(set) var recoveredCount = 0

  /// A report with the number of kept models, the quarantine file, and all losses. Those of one issue are one line.
  public var description: String {
    if losses.isEmpty { return "Nothing is damaged. All \(recoveredCount) models are readable." }
    let moved = quarantine.map { " The damaged bytes are in '\($0.path(percentEncoded: false))'." } ?? ""
    return
      (["\(recoveredCount == 1 ? "1 model was" : "\(recoveredCount) models were") kept.\(moved)"]
      + lines).joined(separator: "\n")
  }

  /// The descriptions of the losses, one for each issue.
  private var lines: [String] {
    var numbers: [IntegrityIssue: Int] = [:]
    var groups: [[Loss]] = []
    for loss in losses {
      if let number = numbers[loss.issue] {
        groups[number].append(loss)
      } else {
        numbers[loss.issue] = groups.count
        groups.append([loss])
      }
    }
    return groups.map { group in
      guard group.count > 1 else { return group[0].description }
      let lost = group.count { $0.keptRevision == nil }
      let rest =
        switch lost {
        case 0: "a revision of each is stored"
        case group.count: "no revision of them is left"
        default: "no revision of \(lost) of them is left"
        }
      let models = "\(group.count) models, from \(group[0].name) to \(group[group.count - 1].name)"
      return "\(group[0].issue) It had records of \(models): \(rest)."
    }
  }
}

extension FileStoreRepair.Loss {
  /// The type and the identifier for messages.
  fileprivate var name: String { "\((typeName ?? "a model").nameForMessage) \((identifier ?? "").quotedForMessage)" }
}

extension FileModelStore {
  /// Reads the whole journal of this group, keeps all readable records, and moves the rest to a quarantine file. Then
  /// the store is intact: ``verify(progress:)`` finds no issue, and ``compact()`` works again.
  ///
  /// If the last revision of a model is damaged, its last readable revision is restored. Nothing is discarded: the
  /// damaged bytes are copied to a quarantine file in the folder of the journal before anything is replaced. A crash
  /// leaves either the old or the repaired journal. If nothing is damaged, nothing is changed.
  ///
  /// Cancelling the task ends the repair before its first change. After the whole journal was read, the repair
  /// completes.
  ///
  /// Writes wait for the repair. A read of all records that the repair interrupts throws `conflict`: repeat it.
  ///
  /// - Returns: the losses, and the number of kept models.
  /// - Throws: `ModelStoreError`. Its code is `unsupported` if the store is read-only, `cancelled` if the task was
  ///   cancelled in time, or that of a disk error. The journal is unchanged then.
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

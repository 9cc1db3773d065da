@_spi(ModelKitInternals) import StoreEngine

/// A problem in the files of a store. All other records are readable.
///
/// ```swift
/// for issue in try await store.open() { print(issue) }
/// ```
public struct IntegrityIssue: Sendable, Hashable, CustomStringConvertible {
  /// The kind of an issue.
  public enum Kind: Sendable, Hashable {
    /// The journal ended in an incomplete batch, which was moved to the quarantine file.
    case tornTail(quarantine: String)

    /// Damaged bytes, which are still in the file.
    case damage

    /// Missing lines or files.
    case missing
  }

  /// The kind of the issue.
  public internal(set) var kind: Kind

  /// The path of the file.
  public internal(set) var file: String

  /// The offset of the first affected byte in the file.
  public internal(set) var offset: UInt64

  /// The number of affected bytes; 0 if bytes are missing.
  public internal(set) var length: UInt64

  /// The reason, as a part of a sentence.
  public internal(set) var reason: String

  /// A sentence with the file, the offset, and the reason.
  public var description: String {
    switch kind {
    case .tornTail(let quarantine):
      "'\(file)' ended in \(length) bytes at offset \(offset) that are not a complete batch (\(reason)). "
        + "They were moved to '\(quarantine)'."
    case .damage: "'\(file)' is damaged at offset \(offset), \(length) bytes: \(reason)."
    case .missing: "'\(file)', offset \(offset): \(reason)."
    }
  }
}

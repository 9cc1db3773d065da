@_spi(ModelKitInternals) import StoreEngine

/// A problem in the files of a store. Everything else in them is readable.
///
/// ```swift
/// for issue in try await store.open() { print(issue) }
/// ```
public struct IntegrityIssue: Sendable, Hashable, CustomStringConvertible {
  /// The kind of an issue.
  public enum Kind: Sendable, Hashable {
    /// The end of the journal is a batch that was not written completely; it was moved to the file named here.
    case tornTail(quarantine: String)

    /// Bytes that are not what was written. They are where they were.
    case damage

    /// Lines or whole files that must have been there are not.
    case missing
  }

  /// The kind of the issue.
  public internal(set) var kind: Kind

  /// The path of the file.
  public internal(set) var file: String

  /// The first byte concerned, counted from the beginning of the file.
  public internal(set) var offset: UInt64

  /// How many bytes are concerned; 0 if something is missing.
  public internal(set) var length: UInt64

  /// The reason, as a part of a sentence.
  public internal(set) var reason: String

  /// A sentence for the person who looks after the store.
  public var description: String {
    switch kind {
    case .tornTail(let quarantine):
      "'\(file)' ended in \(length) bytes at offset \(offset) that are no complete batch (\(reason)). "
        + "They are now in '\(quarantine)'."
    case .damage: "'\(file)' is damaged at offset \(offset), \(length) bytes: \(reason)."
    case .missing: "'\(file)', offset \(offset): \(reason)."
    }
  }
}

public import ModelCore

/// The result of an import: the models of all entries, and the entries that were rejected.
///
/// ```swift
/// let report = try await store.importModels(Person.self, fromJSON: data)
/// print(report)                     // 2 created, 1 updated, 0 unchanged, 1 rejected
/// for entry in report.rejected { print(entry) }
/// ```
public struct ImportReport<M: Model>: CustomStringConvertible {
  /// The models that the store did not have.
  public internal(set) var created: [M] = []
  /// The models of which some fields differed.
  public internal(set) var updated: [M] = []
  /// The models that the store had as the document has them.
  public internal(set) var unchanged: [M] = []
  /// The entries that were not imported, in the order of the document.
  public internal(set) var rejected: [RejectedEntry] = []

  /// How many of each there are.
  public var description: String {
    "\(created.count) created, \(updated.count) updated, \(unchanged.count) unchanged, \(rejected.count) rejected"
  }
}

/// An entry of a document that was not imported. The store and the live models are as they were before it.
///
/// ```swift
/// print(report.rejected[0])
/// // authors[3] (at byte 210) was not imported: born: expected an integer, found the string "long ago"
/// ```
public struct RejectedEntry: CustomStringConvertible {
  /// The index of the entry in its list.
  public let index: Int
  /// The path of the entry in the document, such as `authors[3]`.
  public let path: FieldPath
  /// How many bytes into the document the entry begins.
  public let position: Int
  /// The identifier that the entry has.
  public let identifier: String?
  /// The reason: a `ModelDecodingError` for a value that does not fit, or a ``ModelStoreError``.
  public let error: any Error

  /// Where the entry is, and why it was rejected.
  public var description: String { "\(path) (at byte \(position)) was not imported: \(error)" }
}

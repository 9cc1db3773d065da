public import ModelCore

/// The result of an import: the models of all entries, and the entries that were rejected.
///
/// ```swift
/// let report = try await store.importModels(Person.self, fromJSON: data)
/// print(report)
/// // 2 created, 1 updated, 0 unchanged, 1 rejected
/// for entry in report.rejected { print(entry) }
/// ```
public struct ImportReport<M: Model>: CustomStringConvertible {
  /// The models that were created.
  public internal(set) var created: [M] = []
  /// The stored models that were updated.
  public internal(set) var updated: [M] = []
  /// The stored models that equal their entries.
  public internal(set) var unchanged: [M] = []
  /// The entries that were not imported, in the order of the document.
  public internal(set) var rejected: [RejectedEntry] = []
  /// The references of imported models to models that the store does not have, such as those of rejected entries. They
  /// are found only if entries were rejected; otherwise see ``ModelStore/brokenLinks(of:)``.
  public internal(set) var brokenLinks: [BrokenLink] = []

  /// The number of models of each kind.
  public var description: String {
    "\(created.count) created, \(updated.count) updated, \(unchanged.count) unchanged, \(rejected.count) rejected"
  }
}

/// An entry of a document that was not imported. The store and the live models are unchanged by it.
///
/// ```swift
/// print(report.rejected[0])
/// // authors[3] (at byte 210) was not imported: born: expected an integer, found
/// // the string "long ago"
/// ```
public struct RejectedEntry: CustomStringConvertible {
  /// The index of the entry in its list.
  public let index: Int
  /// The path of the rejected object in the document. It is an entry, such as `authors[3]`, or a related model in it,
  /// such as `authors[3].publisher`.
  public let path: FieldPath
  /// The offset of the entry in the document, in bytes.
  public let position: Int
  /// The identifier of the entry.
  public let identifier: String?
  /// The reason: a `ModelDecodingError` for an invalid value, or a ``ModelStoreError``.
  public let error: any Error

  /// A message with the position of the entry, and the reason of the rejection.
  public var description: String { "\(path) (at byte \(position)) was not imported: \(error)" }
}

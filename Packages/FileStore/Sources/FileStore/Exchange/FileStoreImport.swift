/// The result of an import.
///
/// ```swift
/// let outcome = try await store.importJSON(from: url, existing: .keep)
/// print(
///   "\(outcome.createdCount) new models, \(outcome.keptCount) were there already")
/// ```
public struct FileStoreImport: Sendable, Hashable {
  /// The treatment of models that are already stored.
  public enum Existing: Sendable, Hashable {
    /// Nothing is imported if any model is already stored.
    case reject
    /// Stored models are kept.
    case keep
    /// Stored models are replaced by those of the file.
    case replace
  }

  /// The number of created models.
  public internal(set) var createdCount = 0
  /// The number of replaced models.
  public internal(set) var replacedCount = 0
  /// The number of stored models that were kept.
  public internal(set) var keptCount = 0

  /// The number of processed models.
  var count: Int { createdCount + replacedCount + keptCount }
}

/// The result of an import.
///
/// ```swift
/// let outcome = try await store.importJSON(from: url, existing: .keep)
/// print("\(outcome.createdCount) new models, \(outcome.keptCount) were there already")
/// ```
public struct FileStoreImport: Sendable, Hashable {
  /// The treatment of models that are in the store already.
  public enum Existing: Sendable, Hashable {
    /// Nothing is imported if there are any.
    case refuse
    /// They stay as they are in the store.
    case keep
    /// They become what they are in the file.
    case replace
  }

  /// How many models are new.
  public internal(set) var createdCount = 0
  /// How many models of the store were replaced.
  public internal(set) var replacedCount = 0
  /// How many models stayed as they were in the store.
  public internal(set) var keptCount = 0

  /// How many models of the file are done.
  var count: Int { createdCount + replacedCount + keptCount }
}

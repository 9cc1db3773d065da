/// A store whose server keeps a change log, so that a synchronisation reads only the changes since the last one, with
/// the deletions.
///
/// ```swift
/// let page = try await store.changePage(of: Book.self, after: position)
/// ```
public protocol ChangeLogModelStore: ModelStore {
  /// Whether the server keeps a change log.
  var hasChangeLog: Bool { get }

  /// Reads changes of the models of a class, in the order of the log.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - position: the position after which the changes are; nil for the current position without changes.
  /// - Throws: `ModelStoreError`.
  func changePage<M: Model>(of type: M.Type, after position: String?) async throws -> ModelChangePage<M>
}

/// Changes of the models of one class, as a change log lists them.
public struct ModelChangePage<M: Model> {
  /// The changed models that exist, each with its current values.
  public var updated: [M]
  /// The identifiers of the models that no longer exist.
  public var deleted: [String]
  /// The position after these changes.
  public var position: String
  /// Whether the log has more changes after the position.
  public var hasMore: Bool
  /// Whether the changes since the requested position are unknown. Then list all models, and continue at ``position``.
  public var isReset: Bool

  /// Creates a page.
  ///
  /// - Parameters:
  ///   - updated: the changed models that exist.
  ///   - deleted: the identifiers of the models that no longer exist.
  ///   - position: the position after these changes.
  ///   - hasMore: whether the log has more changes.
  ///   - isReset: whether the changes since the requested position are unknown.
  public init(updated: [M] = [], deleted: [String] = [], position: String, hasMore: Bool = false, isReset: Bool = false)
  {
    self.updated = updated
    self.deleted = deleted
    self.position = position
    self.hasMore = hasMore
    self.isReset = isReset
  }
}

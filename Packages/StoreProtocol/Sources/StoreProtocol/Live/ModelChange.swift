/// A write to a model by any store instance.
///
/// ```swift
/// for await batch in store.changes(of: Person.self) {
///   for case .updated(let identifier, let fields) in batch
///   where fields.contains("name") {
///     print(identifier)
///   }
/// }
/// ```
public enum ModelChange: Hashable, Sendable {
  /// A model was created with these fields.
  case created(identifier: String, fields: Set<String>)
  /// These fields of a model were changed.
  case updated(identifier: String, fields: Set<String>)
  /// A model was deleted.
  case deleted(identifier: String)

  /// The identifier of the model.
  public var identifier: String {
    switch self {
    case .created(let identifier, _), .updated(let identifier, _), .deleted(let identifier): identifier
    }
  }

  /// The declared keys of the written fields; none for a deleted model. If the store does not know the written fields,
  /// all keys.
  public var fields: Set<String> {
    switch self {
    case .created(_, let fields), .updated(_, let fields): fields
    case .deleted: []
    }
  }

  /// The kind of change.
  public var kind: RecordChange.Kind {
    switch self {
    case .created: .created
    case .updated: .updated
    case .deleted: .deleted
    }
  }
}

/// The changes of one type in one commit: a call, a batch or a transaction.
///
/// ```swift
/// for await batch in store.changes(of: Person.self) {
///   if batch.hasGap { reload() }
///   print(batch.created.map(\.identifier), batch.deleted.map(\.identifier))
/// }
/// ```
public struct ModelChangeBatch<M: Model>: RandomAccessCollection, Sendable {
  /// The changes, in the order in which they were made.
  public let changes: [ModelChange]
  /// Whether changes between the previous batch and this one are missing: too many waited, or all records were
  /// replaced. Such a batch has no changes. List shown models again.
  public let hasGap: Bool
  /// The number of changes that were dropped because too many waited.
  public let droppedCount: Int

  /// The models that were created.
  public var created: [ModelChange] { changes.filter { $0.kind == .created } }
  /// The models that were updated.
  public var updated: [ModelChange] { changes.filter { $0.kind == .updated } }
  /// The models that were deleted.
  public var deleted: [ModelChange] { changes.filter { $0.kind == .deleted } }

  /// The position of the first change.
  public var startIndex: Int { 0 }
  /// The position after the last change.
  public var endIndex: Int { changes.count }
  /// The change at a position.
  public subscript(position: Int) -> ModelChange { changes[position] }
}

/// One write to one model, whoever did it.
///
/// ```swift
/// for await batch in store.changes(of: Person.self) {
///   for case .updated(let identifier, let fields) in batch where fields.contains("name") { print(identifier) }
/// }
/// ```
public enum ModelChange: Hashable, Sendable {
  /// A model was created, with these fields.
  case created(identifier: String, fields: Set<String>)
  /// These fields of a model have other values now.
  case updated(identifier: String, fields: Set<String>)
  /// A model was deleted.
  case deleted(identifier: String)

  /// The identifier of the model.
  public var identifier: String {
    switch self {
    case .created(let identifier, _), .updated(let identifier, _), .deleted(let identifier): identifier
    }
  }

  /// The keys of the fields that were written, as they are declared; none for a model that was deleted. Where the store does
  /// not know which they are, all.
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

/// The changes of one type that one commit made: a call, a batch or a transaction.
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
  /// Whether changes before this batch, and after the one before, are not told: because too many waited, or what is stored
  /// was replaced as a whole. Such a batch has no changes. List shown models again.
  public let hasGap: Bool
  /// How many changes were dropped because too many waited.
  public let droppedCount: Int

  /// The models that were created.
  public var created: [ModelChange] { changes.filter { $0.kind == .created } }
  /// The models that were updated.
  public var updated: [ModelChange] { changes.filter { $0.kind == .updated } }
  /// The models that were deleted.
  public var deleted: [ModelChange] { changes.filter { $0.kind == .deleted } }

  /// Where the first change is.
  public var startIndex: Int { 0 }
  /// The end.
  public var endIndex: Int { changes.count }
  /// The change at a position.
  public subscript(position: Int) -> ModelChange { changes[position] }
}

@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The records and types that a transaction read, each with its state at the first read.
///
/// A transaction is committed only if all of them are still in that state. So conditions checked before a write still
/// hold.
struct TransactionReads: Sendable {
  /// A record, or all records of a type.
  struct Part: Sendable {
    /// The name of the type.
    let type: String
    /// The identifier; nil for all records of the type.
    let identifier: String?

    /// Creates a part: a record, or all records of a type.
    init(type: String, identifier: String?) {
      self.type = type
      self.identifier = identifier
    }

    /// The error of a transaction that read a part before another writer changed it.
    var conflict: ModelStoreError {
      let name = identifier.map { "\(type.nameForMessage) \($0.quotedForMessage)" } ?? "a \(type.nameForMessage)"
      return ModelStoreError(
        .conflict,
        """
        The transaction was not written: another writer changed \(name) since the transaction read it. Its edits were \
        rolled back: repeat the transaction.
        """, identifier: identifier)
    }
  }

  private var records: [String: [ExactText: UInt64]] = [:]
  private var types: [String: UInt64] = [:]

  /// Creates an empty list of reads.
  init() {}

  /// Whether nothing was read.
  var isEmpty: Bool { records.isEmpty && types.isEmpty }

  /// Records the read of a record.
  ///
  /// - Returns: its state at the first read.
  mutating func note(_ type: String, _ identifier: String, _ state: UInt64) -> UInt64 {
    if let known = records[type]?[ExactText(identifier)] { return known }
    records[type, default: [:]][ExactText(identifier)] = state
    return state
  }

  /// Records a query of a type.
  ///
  /// - Returns: its state at the first query.
  mutating func note(_ type: String, _ state: UInt64) -> UInt64 {
    if let known = types[type] { return known }
    types[type] = state
    return state
  }

  /// The names of the types of which records were read.
  var typeNames: Set<String> { Set(types.keys).union(records.keys) }

  /// Returns whether a record was read, by itself or with all records of its type.
  func contains(_ type: String, _ identifier: String) -> Bool {
    types[type] != nil || records[type]?[ExactText(identifier)] != nil
  }

  /// Returns the first part that another writer changed since.
  ///
  /// - Parameter isStale: returns whether a part is in another state than this one.
  func firstStale(where isStale: (Part, UInt64) -> Bool) -> Part? {
    for (type, state) in types {
      let part = Part(type: type, identifier: nil)
      if isStale(part, state) { return part }
    }
    for (type, states) in records {
      for (identifier, state) in states {
        let part = Part(type: type, identifier: identifier.text)
        if isStale(part, state) { return part }
      }
    }
    return nil
  }
}

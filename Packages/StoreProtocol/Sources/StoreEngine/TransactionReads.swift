@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The records and types that a transaction read, each with the state in which it was first read.
///
/// A transaction is written only if all of it is still in that state, so that a check before a write holds.
struct TransactionReads: Sendable {
  /// A record, or all records of a type.
  struct Part: Sendable {
    /// The name of the type.
    let type: String
    /// The identifier; nil for all records of the type.
    let identifier: String?

    /// A record, or all records of a type.
    init(type: String, identifier: String?) {
      self.type = type
      self.identifier = identifier
    }

    /// The error of a transaction that read a part before someone else changed it.
    var conflict: ModelStoreError {
      let name = identifier.map { "\(type.nameForMessage) \($0.quotedForMessage)" } ?? "a \(type.nameForMessage)"
      return ModelStoreError(
        .conflict,
        """
        The transaction was not written: someone else changed \(name) since the transaction read it. The models have \
        their local changes: refresh them, and begin the transaction again.
        """, identifier: identifier)
    }
  }

  private var records: [String: [ExactText: UInt64]] = [:]
  private var types: [String: UInt64] = [:]

  /// Nothing was read yet.
  init() {}

  /// Whether nothing was read.
  var isEmpty: Bool { records.isEmpty && types.isEmpty }

  /// Notes that a record was read.
  ///
  /// - Returns: the state in which it was first read.
  mutating func note(_ type: String, _ identifier: String, _ state: UInt64) -> UInt64 {
    if let known = records[type]?[ExactText(identifier)] { return known }
    records[type, default: [:]][ExactText(identifier)] = state
    return state
  }

  /// Notes that a query read records of a type.
  ///
  /// - Returns: the state in which it was first read.
  mutating func note(_ type: String, _ state: UInt64) -> UInt64 {
    if let known = types[type] { return known }
    types[type] = state
    return state
  }

  /// The names of the types of which records were read.
  var typeNames: Set<String> { Set(types.keys).union(records.keys) }

  /// Whether a record was read, by itself or with all of its type.
  func contains(_ type: String, _ identifier: String) -> Bool {
    types[type] != nil || records[type]?[ExactText(identifier)] != nil
  }

  /// The first part that someone else changed since.
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

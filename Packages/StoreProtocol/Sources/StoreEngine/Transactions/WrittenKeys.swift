@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The index keys of the records of one type that a transaction wrote.
///
/// The indexes of a store don't contain the writes of open transactions. Without these keys every query inside a
/// transaction would read all its writes. So would the search for references to a deleted model: deleting many models
/// in one transaction would take quadratic time.
///
/// The first query that can use the keys creates them; later writes update them. A transaction that only writes has
/// none.
///
/// ```swift
/// var keys = WrittenKeys(fields)
/// keys.insert(bytes, of: ExactText("17"), at: place)
/// for identifier in keys.identifiers(for: planner) ?? all { look(at: identifier) }
/// ```
struct WrittenKeys {
  /// The indexed fields, by number.
  let fields: [StoredKeyPath]
  private var indexes: [OrderedIndex]
  private var identifiers: [Int: ExactText] = [:]

  /// Creates an empty list of keys.
  ///
  /// - Parameter fields: the indexed fields of the store, in its order.
  init(_ fields: [StoredKeyPath]) {
    self.fields = fields
    indexes = fields.map { _ in OrderedIndex() }
  }

  /// Adds a record.
  ///
  /// - Parameters:
  ///   - bytes: the record.
  ///   - identifier: its identifier.
  ///   - place: its number in the transaction, which is unique.
  /// - Complexity: O(log *n*) for each field.
  mutating func insert(_ bytes: [UInt8], of identifier: ExactText, at place: Int) {
    identifiers[place] = identifier
    for number in indexes.indices { indexes[number].insert(fields[number].key(in: bytes), place) }
  }

  /// Removes a record.
  ///
  /// - Parameters:
  ///   - bytes: the bytes with which it was added.
  ///   - place: the number with which it was added.
  /// - Complexity: O(log *n*) for each field.
  mutating func remove(_ bytes: [UInt8], at place: Int) {
    identifiers[place] = nil
    for number in indexes.indices { indexes[number].remove(fields[number].key(in: bytes), place) }
  }

  /// Returns the identifiers of the records that a query may match, in the order of their numbers; nil if all may
  /// match.
  ///
  /// - Parameter planner: the planner of the query, without order, for ``fields``.
  /// - Complexity: O(log *n* + *m* log *m*) for *m* records.
  func identifiers(for planner: QueryPlanner) -> [ExactText]? {
    planner.plan(with: indexes, totalCount: identifiers.count).places(in: indexes)?.compactMap { identifiers[$0] }
  }
}

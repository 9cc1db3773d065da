@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The values of the indexed fields in the records of one type that a transaction wrote.
///
/// The indexes of a store have nothing of a transaction before its end. Without these keys every query inside it would read
/// all that it wrote. So would the search for references to a deleted model: deletions of many models in one transaction would
/// take the square of their number.
///
/// The first query that can use them makes them, and from then on they are kept as records are written. A transaction that
/// only writes has none.
///
/// ```swift
/// var keys = WrittenKeys(fields)
/// keys.insert(bytes, of: ExactText("17"), at: place)
/// for identifier in keys.identifiers(for: planner) ?? all { look(at: identifier) }
/// ```
struct WrittenKeys {
  /// The fields, by their numbers.
  let fields: [StoredKeyPath]
  private var indexes: [OrderedIndex]
  private var identifiers: [Int: ExactText] = [:]

  /// The keys of no records.
  ///
  /// - Parameter fields: the fields of which the store has indexes, in its order.
  init(_ fields: [StoredKeyPath]) {
    self.fields = fields
    indexes = fields.map { _ in OrderedIndex() }
  }

  /// Takes in a record.
  ///
  /// - Parameters:
  ///   - bytes: the record.
  ///   - identifier: its identifier.
  ///   - place: its place in the transaction, which no other one has.
  /// - Complexity: O(log *n*) for each field.
  mutating func insert(_ bytes: [UInt8], of identifier: ExactText, at place: Int) {
    identifiers[place] = identifier
    for number in indexes.indices { indexes[number].insert(fields[number].key(in: bytes), place) }
  }

  /// Takes a record out.
  ///
  /// - Parameters:
  ///   - bytes: what it was when it was taken in.
  ///   - place: its place then.
  /// - Complexity: O(log *n*) for each field.
  mutating func remove(_ bytes: [UInt8], at place: Int) {
    identifiers[place] = nil
    for number in indexes.indices { indexes[number].remove(fields[number].key(in: bytes), place) }
  }

  /// The identifiers of the records that a query may find, in the order of their places; nil if these may be all.
  ///
  /// - Parameter planner: the query, without order, made for ``fields``.
  /// - Complexity: O(log *n* + *m* log *m*) for *m* records.
  func identifiers(for planner: QueryPlanner) -> [ExactText]? {
    planner.plan(with: indexes, totalCount: identifiers.count).places(in: indexes)?.compactMap { identifiers[$0] }
  }
}

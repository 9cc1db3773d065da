@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The demand for indexes of foreign keys, in a store that finds the records that reference deleted models.
///
/// A single deletion among few records needs no index. When deletions without an index would have read a thousand
/// records in total, creating it costs less.
///
/// ```swift
/// if let field = demand.field(of: reference, M.self, among: count, in: context) {
///   try engine.ensureIndex(M.typeName, field)
/// }
/// ```
struct IndexDemand {
  private struct Place: Hashable {
    let modelClass: ObjectIdentifier
    let key: String
  }

  private enum Need {
    /// The number of records that would have been read.
    case grows(Int)
    /// The indexed field; nil if it can't be indexed.
    case isThere(StoredKeyPath?)
  }

  /// The largest number of records that are read without an index.
  private static let limit = 1_000

  private var needs: [Place: Need] = [:]

  /// No deletion so far.
  init() {}

  /// Records a search for the records that reference a model by a foreign key.
  ///
  /// - Parameters:
  ///   - reference: the foreign key.
  ///   - type: the class that has it.
  ///   - count: the number of records that have to be read without an index.
  ///   - context: the format of records.
  /// - Returns: the field to index; nil if an index is not worth its cost yet, or not possible.
  mutating func field<M: Model>(
    of reference: BackReference, _ type: M.Type, among count: Int, in context: ValueTransformerContext
  ) -> StoredKeyPath? {
    if reference.isToMany { return nil }
    let place = Place(modelClass: ObjectIdentifier(type), key: reference.key)
    let before: Int
    switch needs[place] {
    case .isThere(let field): return field
    case .grows(let known): before = known
    case nil: before = 0
    }
    guard before + count > Self.limit else {
      needs[place] = .grows(before + count)
      return nil
    }
    let field = try? reference.field(type, in: context)
    needs[place] = .isThere(field)
    return field
  }
}

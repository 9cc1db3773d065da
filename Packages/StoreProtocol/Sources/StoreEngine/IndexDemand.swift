@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The demand for indexes of foreign keys, for a store that has to find the records that refer to deleted models.
///
/// One deletion among few records needs none. Once one deletion or several would have read a thousand records without an
/// index, making it costs less.
///
/// ```swift
/// if let field = demand.field(of: reference, M.self, among: count, in: context) { try engine.keepIndex(M.typeName, field) }
/// ```
struct IndexDemand {
  private struct Place: Hashable {
    let modelClass: ObjectIdentifier
    let key: String
  }

  private enum Need {
    /// The number of records that would have been read.
    case grows(Int)
    /// Nil: there can't be an index.
    case isThere(StoredKeyPath?)
  }

  /// The number of records that are read at most without an index.
  private static let limit = 1_000

  private var needs: [Place: Need] = [:]

  /// No deletion so far.
  init() {}

  /// Notes a search for the records that refer to a model by a foreign key.
  ///
  /// - Parameters:
  ///   - reference: the foreign key.
  ///   - type: the class that has it.
  ///   - count: the number of records that have to be read without an index.
  ///   - context: how records are spelled.
  /// - Returns: what the index is to be made of; nil as long as it isn't worth it, or if there can't be one.
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

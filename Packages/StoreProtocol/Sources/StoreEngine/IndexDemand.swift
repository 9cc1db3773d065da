@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// When it is worth it to make an index of a foreign key, for a store that has to find what leads to deleted models.
///
/// One deletion among few records needs none. Once as many as a thousand records would have been looked at for want of it,
/// by one deletion or by several, it takes less to make it than to go on like that.
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
    /// How many records would have been looked at.
    case grows(Int)
    /// Nil: there can't be an index.
    case isThere(StoredKeyPath?)
  }

  /// Up to how many records are looked at without an index.
  private static let limit = 1_000

  private var needs: [Place: Need] = [:]

  /// No deletion so far.
  init() {}

  /// Takes down that what leads to a model by a foreign key is about to be looked for.
  ///
  /// - Parameters:
  ///   - reference: the foreign key.
  ///   - type: the class that has it.
  ///   - count: how many records have to be looked at without an index.
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

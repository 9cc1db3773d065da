@_spi(ModelKitInternals) import StoreEngine
public import StoreProtocol

// Without these the compiler would say only that key paths have different types.
extension FileModelStore {
  /// There is no index of a list: a condition about its elements goes through all records of the type.
  @available(
    *, unavailable, message: "There is no index of a list: conditions such as contains go through all records."
  )
  public func index<M: Model, Element>(_ list: KeyPath<M, ArrayField<Element>>, unique: Bool = false) async throws {}

  /// There is no index of a relation to many: its inverse to one can have an index.
  @available(
    *, unavailable, message: "There is no index of a relation to many: index its inverse to one."
  )
  public func index<M: Model, Related: Model>(
    _ relation: KeyPath<M, ModelArrayField<Related>>, unique: Bool = false
  ) async throws {}
}

public import StoreProtocol

// Without these the compiler would say only that key paths have different types.
extension RecordStore {
  /// A list can't be indexed: a condition on its elements reads all records of the type.
  @available(
    *, unavailable, message: "A list can't be indexed: conditions such as contains read all records."
  )
  public final func index<M: Model, Element>(_ list: KeyPath<M, ArrayField<Element>>, unique: Bool = false) throws {}

  /// A to-many relation can't be indexed: index its to-one inverse.
  @available(
    *, unavailable, message: "A to-many relation can't be indexed: index its to-one inverse."
  )
  public final func index<M: Model, Related: Model>(
    _ relation: KeyPath<M, ModelArrayField<Related>>, unique: Bool = false
  ) throws {}
}

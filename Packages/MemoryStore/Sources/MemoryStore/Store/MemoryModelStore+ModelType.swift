@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

// The calls that take a class also take a `ModelType`, which may be known only at run time.
extension MemoryModelStore {
  /// Finds a model by its identifier, without suspending.
  ///
  /// ```swift
  /// let author = try store.lookupImmediately(
  ///   schema.modelType("Author"), identifier: "10")
  /// ```
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`.
  /// - Complexity: O(1), and O(*n*) in the size of a record that has to be read.
  public func lookupImmediately<M: Model>(_ type: ModelType<M>, identifier: String) throws -> M {
    func find<Exact: Model>(_ exact: Exact.Type) throws -> ModelObject {
      try lookupImmediately(exact, identifier: identifier)
    }
    return try type.typed(find(type.exactClass))
  }

  /// Finds models of a type, without suspending.
  ///
  /// - Parameters:
  ///   - type: the type of the models; models of derived types are among them.
  ///   - filter: the condition; see `QueryKeyColumn` for fields by name.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - limit: the largest number of models; nil for all.
  ///   - offset: the number of models to skip.
  /// - Throws: `ModelStoreError` with the code `invalid` for an invalid query.
  /// - Complexity: as ``listImmediately(_:)``.
  public func listImmediately<M: Model>(
    _ type: ModelType<M>, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws -> [M] {
    let parts = type.query(filter, sort, limit: limit, offset: offset)
    func find<Exact: Model>(_ exact: Exact.Type) throws -> [ModelObject] {
      try listImmediately(ModelQuery<Exact>(parts))
    }
    return try find(type.exactClass).map(type.typed)
  }

  /// Returns the number of models of a type for which a condition holds, without suspending.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for an invalid condition.
  /// - Complexity: as ``count(_:)``.
  public func countImmediately<M: Model>(
    _ type: ModelType<M>, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil
  ) throws -> Int {
    let parts = type.query(filter)
    func count<Exact: Model>(_ exact: Exact.Type) throws -> Int { try countImmediately(ModelQuery<Exact>(parts)) }
    return try count(type.exactClass)
  }

  /// Maintains an index of a field or foreign key, given by its name, for all instances of the store.
  ///
  /// ```swift
  /// let authors = try schema.modelType(named: "Author")
  /// try store.index(authors, "email", unique: true)
  /// let nina = try store.listImmediately(
  ///   authors, where: { $0["email"] == "nina@example.com" }).first
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of the models.
  ///   - key: the key of the field, or the name of the property or attribute. The field has a `Hashable` type, or is a
  ///     to-one relation with `foreignKey: true`.
  ///   - unique: whether equal values, nil excepted, are rejected: then writing it throws `conflict` and names the
  ///     field.
  /// - Throws: `ModelStoreError` with the code `conflict` if equal values of a unique index are stored, or `invalid` if
  ///   no field of this type exists. There is no index then.
  /// - Complexity: O(*n*) in the number of stored models of the type.
  public func index<M: Model>(_ type: ModelType<M>, _ key: String, unique: Bool = false) throws {
    func path<Exact: Model>(_ exact: Exact.Type) throws -> StoredKeyPath {
      try StoredKeyPath(exact, key: key, in: scope.transformers)
    }
    try handle.index(type.name, path(type.exactClass), isUnique: unique)
  }
}

@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

// What takes a class takes a type of model as well, which may be known only when the program runs.
extension MemoryModelStore {
  /// Finds a model by its identifier, without suspending.
  ///
  /// ```swift
  /// let author = try store.lookupImmediately(schema.modelType("Author"), identifier: "10")
  /// ```
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`.
  /// - Complexity: O(1), and what it takes to read the record.
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
  ///   - limit: how many models at most; nil for all.
  ///   - offset: how many models to pass over.
  /// - Throws: `ModelStoreError` with the code `invalid` for a query that makes no sense.
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

  /// How many models of a type there are for which a condition holds, without suspending.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for a condition that makes no sense.
  /// - Complexity: as ``count(_:)``.
  public func countImmediately<M: Model>(
    _ type: ModelType<M>, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil
  ) throws -> Int {
    let parts = type.query(filter)
    func count<Exact: Model>(_ exact: Exact.Type) throws -> Int { try countImmediately(ModelQuery<Exact>(parts)) }
    return try count(type.exactClass)
  }

  /// Keeps an index of a field that is named by a text, or of a foreign key, for all instances of the store, from now on.
  ///
  /// ```swift
  /// let authors = try schema.modelType(named: "Author")
  /// try store.index(authors, "email", unique: true)
  /// let nina = try store.listImmediately(authors, where: { $0["email"] == "nina@example.com" }).first
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of the models.
  ///   - key: the key of the field, or the name of the property or attribute: of a type that is `Hashable`, or a relation to
  ///     one model with `foreignKey: true`.
  ///   - unique: whether a value, nil excepted, must not be there twice: then writing it throws `conflict` and names the
  ///     field.
  /// - Throws: `ModelStoreError` with the code `conflict` if a unique value is there twice already, `invalid` if there is no
  ///   such field or it is of another type. There is no index then.
  /// - Complexity: O(*n*) in the number of stored models of the type.
  public func index<M: Model>(_ type: ModelType<M>, _ key: String, unique: Bool = false) throws {
    func path<Exact: Model>(_ exact: Exact.Type) throws -> StoredKeyPath {
      try StoredKeyPath(exact, key: key, in: scope.transformers)
    }
    try handle.index(type.name, path(type.exactClass), isUnique: unique)
  }
}

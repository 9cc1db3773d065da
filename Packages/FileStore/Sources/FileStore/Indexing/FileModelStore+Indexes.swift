@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension FileModelStore {
  /// Maintains an index of a field for all instances of the store, as long as it is open.
  ///
  /// The index is used where it saves reads: for conditions that compare the field with values, and lists sorted by it.
  /// These conditions are comparisons such as `==` and `<=`, `isIn` and `hasPrefix`, combined by `&&`, `||` and `!`.
  /// `explain` reports the used indexes.
  ///
  /// ```swift
  /// try await store.index(\Person.email, unique: true)
  /// let ada = try await store.first(
  ///   Person.self, where: { $0.email == "ada@example.com" })
  /// ```
  ///
  /// The index is built from the records while others read and write, and follows every commit. Create it once, after
  /// opening the store. A store that was opened for reading only accepts the call, but scans all records.
  ///
  /// - Parameters:
  ///   - field: the field, of a type that is `Hashable`. Ranges and sorting need numbers, `Decimal`, text or dates.
  ///   - unique: whether each value, except nil, may exist only once. A commit that would write a second one throws
  ///     `conflict`, names the field and the model that has the value, and writes nothing. Values are compared as they
  ///     are at the end of a batch or transaction. A unique index stays unique as long as the store is open.
  /// - Throws: `ModelStoreError` with the code `conflict` if equal values of a unique index are stored, `invalid` for a
  ///   field of another type. There is no index then.
  /// - Complexity: O(*n*) in the number of stored models of the type; it needs about 50 bytes of memory for each.
  public func index<M: Model, Value>(_ field: KeyPath<M, Field<Value>>, unique: Bool = false) async throws {
    let path = try StoredKeyPath(M.self, { $0[keyPath: field] }, in: scope.transformers)
    try await translating { try await handle.engine.index(M.typeName, path, isUnique: unique) }
  }

  /// Maintains an index of a property that is declared with `@Field`. Otherwise the same as an index of a field.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - unique: whether equal values, nil excepted, are rejected.
  /// - Throws: `ModelStoreError` as for a field; `invalid` for a computed property.
  public func index<M: Model, Value>(
    _ property: ReferenceWritableKeyPath<M, Value?>, unique: Bool = false
  ) async throws {
    let path = try StoredKeyPath(M.self, { $0.field(of: property) }, in: scope.transformers)
    try await translating { try await handle.engine.index(M.typeName, path, isUnique: unique) }
  }

  /// Maintains an index of a property that is declared with `@Required`. Otherwise the same as an index of a field.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - unique: whether equal values, nil excepted, are rejected.
  /// - Throws: `ModelStoreError` as for a field; `invalid` for a computed property.
  public func index<M: Model, Value>(
    _ property: ReferenceWritableKeyPath<M, Value>, unique: Bool = false
  ) async throws {
    let path = try StoredKeyPath(M.self, { $0.field(of: property) }, in: scope.transformers)
    try await translating { try await handle.engine.index(M.typeName, path, isUnique: unique) }
  }

  /// Maintains an index of a member inside the values of a field. Otherwise the same as an index of a field.
  ///
  /// ```swift
  /// try await store.index(Invoice.self) { $0.receipt.number }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - unique: whether equal values, nil excepted, are rejected.
  ///   - column: returns the member, or a field.
  /// - Throws: `ModelStoreError` as for a field; `invalid` for a field of a related model.
  public func index<M: Model, Value>(
    _ type: M.Type, unique: Bool = false, _ column: (ModelColumns<M>) -> QueryColumn<Value>
  ) async throws {
    let path = try StoredKeyPath(type, column: column, in: scope.transformers)
    try await translating { try await handle.engine.index(M.typeName, path, isUnique: unique) }
  }

  /// Maintains an index of a foreign key, which conditions such as `$0.company == acme` and `list(in: acme.employees)`
  /// use.
  ///
  /// - Parameters:
  ///   - relation: a to-one relation with `foreignKey: true`.
  ///   - unique: whether each model may be referenced only once.
  /// - Throws: `ModelStoreError` with the code `conflict` if two models already reference the same one, `invalid` for a
  ///   relation without foreign key.
  public func index<M: Model, Related: Model>(
    _ relation: KeyPath<M, ModelField<Related>>, unique: Bool = false
  ) async throws {
    let path = try StoredKeyPath(M.self, { $0[keyPath: relation] }, in: scope.transformers)
    try await translating { try await handle.engine.index(M.typeName, path, isUnique: unique) }
  }

  /// Maintains an index of a field or foreign key, given by its name. The type may be known only at run time. Otherwise
  /// this is the same as `index(_:unique:)`.
  ///
  /// ```swift
  /// let authors = try schema.modelType(named: "Author")
  /// try await store.index(authors, "email", unique: true)
  /// let nina = try await store.first(
  ///   authors, where: { $0["email"] == "nina@example.com" })
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type of the models.
  ///   - key: the key of the field, or the name of the property or attribute. The field has a `Hashable` type, or is a
  ///     to-one relation with `foreignKey: true`.
  ///   - unique: whether each value, except nil, may exist only once. A commit that would write a second one throws
  ///     `conflict`, names the field and the model that has the value, and writes nothing. Values are compared as they
  ///     are at the end of a batch or transaction. A unique index stays unique as long as the store is open.
  /// - Throws: `ModelStoreError` with the code `conflict` if equal values of a unique index are stored, or `invalid` if
  ///   no field of this type exists. There is no index then.
  /// - Complexity: O(*n*) in the number of stored models of the type; it needs about 50 bytes of memory for each.
  public func index<M: Model>(_ type: ModelType<M>, _ key: String, unique: Bool = false) async throws {
    func path<Exact: Model>(_ exact: Exact.Type) throws -> StoredKeyPath {
      try StoredKeyPath(exact, key: key, in: scope.transformers)
    }
    let field = try path(type.exactClass)
    try await translating { try await handle.engine.index(type.name, field, isUnique: unique) }
  }
}

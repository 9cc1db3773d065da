@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension FileModelStore {
  /// Maintains an index of the words of a text or a list of texts, for all instances of the store, while it is open.
  ///
  /// The index is used for `matches(words:)`, also together with other conditions. `explain` reports it as the field
  /// followed by `.text`.
  ///
  /// ```swift
  /// try await store.index(\Book.title, .text)
  /// let books = try await store.list(
  ///   Book.self, where: { $0.title.matches(words: "jane aust*") })
  /// ```
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - kind: the kind of the index.
  /// - Throws: `ModelStoreError` with the code `invalid` for a field whose values are not text.
  /// - Complexity: O(*n*) in the number of words; it needs about 50 bytes of memory for each word of each model.
  public func index<M: Model, TextField: AnyField>(_ field: KeyPath<M, TextField>, _ kind: IndexKind) async throws {
    let path = try StoredKeyPath(M.self, { $0[keyPath: field] }, kind: kind, in: scope.transformers)
    try await translating { try await handle.engine.index(M.typeName, path, isUnique: false) }
  }

  /// Maintains an index of the words of a property that is declared with `@Field`. Otherwise the same as that of a
  /// field.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - kind: the kind of the index.
  /// - Throws: `ModelStoreError` as for a field; `invalid` for a computed property.
  public func index<M: Model, Value>(
    _ property: ReferenceWritableKeyPath<M, Value?>, _ kind: IndexKind
  ) async throws {
    let path = try StoredKeyPath(M.self, { $0.field(of: property) }, kind: kind, in: scope.transformers)
    try await translating { try await handle.engine.index(M.typeName, path, isUnique: false) }
  }

  /// Maintains an index of the words of a property that is declared with `@Required`. Otherwise the same as that of a
  /// field.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - kind: the kind of the index.
  /// - Throws: `ModelStoreError` as for a field; `invalid` for a computed property.
  public func index<M: Model, Value>(
    _ property: ReferenceWritableKeyPath<M, Value>, _ kind: IndexKind
  ) async throws {
    let path = try StoredKeyPath(M.self, { $0.field(of: property) }, kind: kind, in: scope.transformers)
    try await translating { try await handle.engine.index(M.typeName, path, isUnique: false) }
  }

  /// Maintains an index of the words of a member inside the values of a field. Otherwise the same as that of a field.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - kind: the kind of the index.
  ///   - column: returns the member, or a field.
  /// - Throws: `ModelStoreError` as for a field; `invalid` for a field of a related model.
  public func index<M: Model>(
    _ type: M.Type, _ kind: IndexKind, _ column: (ModelColumns<M>) -> QueryColumn<String>
  ) async throws {
    let path = try StoredKeyPath(type, column: column, kind: kind, in: scope.transformers)
    try await translating { try await handle.engine.index(M.typeName, path, isUnique: false) }
  }

  /// Maintains an index of the words of a field, given by its name. The type may be known only at run time. Otherwise
  /// the same as that of a field.
  ///
  /// - Parameters:
  ///   - type: the type of the models.
  ///   - key: the key of the field, or the name of the property or attribute.
  ///   - kind: the kind of the index.
  /// - Throws: `ModelStoreError` with the code `invalid` if there is no such field, or its values are not text.
  public func index<M: Model>(_ type: ModelType<M>, _ key: String, _ kind: IndexKind) async throws {
    func path<Exact: Model>(_ exact: Exact.Type) throws -> StoredKeyPath {
      try StoredKeyPath(exact, key: key, kind: kind, in: scope.transformers)
    }
    let field = try path(type.exactClass)
    try await translating { try await handle.engine.index(type.name, field, isUnique: false) }
  }
}

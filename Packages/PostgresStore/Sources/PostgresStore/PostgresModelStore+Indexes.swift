#if Postgres
  @_spi(ModelKitInternals) public import ModelCore
  @_spi(ModelKitInternals) import StoreProtocol

  extension PostgresModelStore {
    /// Gives a field a column of its own with an index, which stays in the database.
    ///
    /// Conditions that compare the field with values use the index, and so do lists that are sorted by it. Other
    /// processes can read and write while the column is added and filled.
    ///
    /// ```swift
    /// try await store.index(\Person.email, unique: true)
    /// let ada = try await store.first(
    ///   Person.self, where: { $0.email == "ada@example.com" })
    /// ```
    ///
    /// - Parameters:
    ///   - field: the field, whose values have a form that SQL compares as stores do.
    ///   - unique: whether each value, except nil, may exist only once. A commit that would write a second one throws
    ///     `conflict`, names the field, and writes nothing. Each row is checked at once: two records can't exchange
    ///     their values in one batch.
    /// - Throws: `ModelStoreError` with the code `unsupported` for a field of another form or an existing table, or
    ///   `conflict` for duplicates in a unique index. There is no index then.
    /// - Complexity: O(*n*) in the number of stored models of the type, the first time.
    public func index<M: Model, Value>(_ field: KeyPath<M, Field<Value>>, unique: Bool = false) async throws {
      try await index(StoredKeyPath(M.self, { $0[keyPath: field] }, in: scope.transformers), M.self, unique)
    }

    /// Gives a property that is declared with `@Field` a column with an index. Otherwise the same as for a field.
    ///
    /// - Parameters:
    ///   - property: the property.
    ///   - unique: whether equal values, nil excepted, are rejected.
    /// - Throws: `ModelStoreError` as for a field; `invalid` for a computed property.
    public func index<M: Model, Value>(
      _ property: ReferenceWritableKeyPath<M, Value?>, unique: Bool = false
    ) async throws {
      try await index(StoredKeyPath(M.self, { $0.field(of: property) }, in: scope.transformers), M.self, unique)
    }

    /// Gives a property that is declared with `@Required` a column with an index. Otherwise the same as for a field.
    ///
    /// - Parameters:
    ///   - property: the property.
    ///   - unique: whether equal values, nil excepted, are rejected.
    /// - Throws: `ModelStoreError` as for a field; `invalid` for a computed property.
    public func index<M: Model, Value>(
      _ property: ReferenceWritableKeyPath<M, Value>, unique: Bool = false
    ) async throws {
      try await index(StoredKeyPath(M.self, { $0.field(of: property) }, in: scope.transformers), M.self, unique)
    }

    /// Gives a foreign key a column with an index, as ``prepare(_:dryRun:)`` does for all foreign keys of a class.
    ///
    /// - Parameters:
    ///   - relation: a to-one relation with `foreignKey: true`.
    ///   - unique: whether each model may be referenced only once.
    /// - Throws: `ModelStoreError` as for a field; `invalid` for a relation without foreign key.
    public func index<M: Model, Related: Model>(
      _ relation: KeyPath<M, ModelField<Related>>, unique: Bool = false
    ) async throws {
      try await index(StoredKeyPath(M.self, { $0[keyPath: relation] }, in: scope.transformers), M.self, unique)
    }

    private func index<M: Model>(_ path: StoredKeyPath, _ type: M.Type, _ isUnique: Bool) async throws {
      let context = scope.transformers
      let prototype = context.prepared(M())
      guard path.path.keys.count == 1, !handle.options.mappings.contains(where: { $0.typeName == M.typeName }),
        let field = prototype.field(declaredAs: path.path.keys[0]),
        let column = OwnColumn(of: field, isUnique: isUnique, context)
      else {
        throw ModelStoreError(
          .unsupported,
          "PostgreSQL can't index \("\(path)".quotedForMessage) of \(M.typeName.nameForMessage). Create an index of an existing "
            + "table with SQL, and query other fields without one.")
      }
      _ = try await handle.prepare([PostgresCatalog.WantedTable(type: M.typeName, columns: [column])], dryRun: false)
    }
  }
#endif

#if Postgres
  public import ModelCore
  @_exported @_spi(ModelKitInternals) public import StoreEngine
  @_spi(ModelKitInternals) public import StoreProtocol

  /// A store that keeps models in a PostgreSQL database, for many processes at once.
  ///
  /// ```swift
  /// let store = PostgresModelStore(
  ///   "postgres://app@127.0.0.1/shop", options: .init(schema: "app"))
  /// try await store.prepare([Author.self, Book.self])
  /// ```
  ///
  /// Each type has a table with a row per model: identifier, record as JSON, revision, and position in the order of
  /// creation. Foreign keys and indexed fields have columns of their own. The first call connects. Calls that wait for
  /// the server run on the store's own threads.
  ///
  /// - Note: A store instance belongs to one isolation. For another isolation create one with `init(_:scope:)` and the
  ///   `handle`. A server creates one per request.
  public final class PostgresModelStore: RecordStore<PostgresEngine>, TransactionalModelStore {
    /// Creates a store instance without connecting.
    ///
    /// - Parameters:
    ///   - location: a connection string of libpq: a URI, or keywords and values. No error contains its passwords.
    ///   - options: the options of the store.
    ///   - scope: the identity map of this store instance.
    public convenience init(
      _ location: String, options: PostgresStoreOptions = PostgresStoreOptions(), scope: ModelScope = ModelScope()
    ) {
      self.init(PostgresEngine(location, options), scope: scope)
    }

    /// Creates the missing tables of these types and of the store itself, and the columns and indexes of foreign keys.
    ///
    /// Other processes can read and write meanwhile: columns are added without values, filled in parts, and used by
    /// queries once all rows have them.
    ///
    /// - Parameters:
    ///   - types: the types of models.
    ///   - dryRun: whether nothing is changed, so that the statements can be reviewed.
    /// - Returns: the statements that change the database, in their order. The columns of existing rows are filled by
    ///   one statement per thousand rows.
    /// - Throws: `ModelStoreError`, such as `denied` if the login may not create tables.
    /// - Complexity: O(*n*) in the number of rows of tables that get columns or indexes.
    @discardableResult
    public func prepare(_ types: [any Model.Type], dryRun: Bool = false) async throws -> [String] {
      let context = scope.transformers
      let tables = types.map { type in
        PostgresCatalog.WantedTable(
          type: type.typeName,
          columns: OwnColumn.foreignKeys(of: context.prepared(type.init()), context))
      }
      return try await handle.prepare(tables, dryRun: dryRun)
    }

    /// Closes the connections of all store instances. Live results end, and later calls throw `offline`.
    public func close() { handle.close() }
  }
#endif

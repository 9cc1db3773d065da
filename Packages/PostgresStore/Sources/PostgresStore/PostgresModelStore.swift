#if Postgres
  public import ModelCore
  @_exported @_spi(ModelKitInternals) public import StoreEngine
  @_spi(ModelKitInternals) public import StoreProtocol

  /// A store that keeps models in a PostgreSQL database, for many processes at once.
  ///
  /// ```swift
  /// let store = PostgresModelStore("postgres://app@127.0.0.1/shop", options: .init(schema: "app"))
  /// try await store.prepare([Author.self, Book.self])
  /// ```
  ///
  /// Each type has a table with a row per model: the identifier, the record as JSON, its revision, and its place in the order of creation. The first
  /// call connects. What waits for the server runs on threads of the store's own.
  ///
  /// - Note: A store instance lives in one isolation. Make another with `init(_:scope:)` and `handle` elsewhere; a server makes
  ///   one per request.
  public final class PostgresModelStore: RecordStore<PostgresEngine>, TransactionalModelStore {
    /// Describes a store; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - location: a connection string of libpq: a URI, or keywords and values. No error shows its passwords.
    ///   - options: how the store uses the database.
    ///   - scope: the identity map of this store instance.
    public convenience init(
      _ location: String, options: PostgresStoreOptions = PostgresStoreOptions(), scope: ModelScope = ModelScope()
    ) {
      self.init(PostgresEngine(location, options), scope: scope)
    }

    /// Creates the tables of these types, and those of the store itself, where they are missing.
    ///
    /// - Parameter types: the types of models.
    /// - Throws: `ModelStoreError`, such as `denied` if the login may not create tables.
    public func prepare(_ types: [any Model.Type]) async throws { try await handle.prepare(types.map { $0.typeName }) }

    /// Closes the connections of all store instances. Live results end, and later calls throw `offline`.
    public func close() { handle.close() }
  }
#endif

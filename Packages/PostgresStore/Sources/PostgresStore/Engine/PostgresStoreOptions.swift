#if Postgres
  public import StoreEngine
  public import StoreProtocol

  /// The options of a PostgreSQL store.
  ///
  /// ```swift
  /// let options = PostgresStoreOptions(
  ///   schema: "app", poolSize: 16, tableNames: ["Book": "books"])
  /// ```
  public struct PostgresStoreOptions: Sendable {
    /// The isolation of transactions from those of other store instances and processes.
    ///
    /// At each level, a transaction reads committed records only. It throws `conflict` if another writer changed a
    /// record that it writes, so no update is lost. A call that reads and writes by itself, such as a deletion with
    /// delete rules, has the level, too.
    public enum Isolation: Sendable, Hashable, CaseIterable {
      /// The transactions have the result of running one after another. A commit locks the types that the transaction
      /// read, and throws `conflict` if others wrote the records that it read.
      case serializable
      /// All reads of a transaction are of one state of the database, that at the beginning of its commit. Otherwise it
      /// throws `conflict`.
      ///
      /// Two transactions can both commit if they read the same records and write different ones. This can violate a
      /// condition about several records, such as a limit of a sum, or that a link references an existing record. In
      /// return, commits lock no types that were read, so they do not wait for each other.
      case repeatableRead
    }

    /// The schema of the tables. It is created if it is missing.
    public var schema: String
    /// The largest number of connections of all instances of the store.
    public var poolSize: Int
    /// The time that a call waits for a connection before it throws `timeout`. A server that was reached before and is
    /// away, such as during a failover, is tried again for this time.
    public var connectionTimeout: Duration
    /// The time that a call waits for an answer of the server before it throws `timeout`; nil without a limit. It must
    /// be longer than any statement takes. Without it, a server that is silent is noticed after about 100 seconds.
    public var answerTimeout: Duration?
    /// Whether each connection prepares a statement once, and keeps the most recently used ones. Turn it off behind a
    /// pooler that assigns each transaction another connection, such as pgbouncer in transaction mode before version
    /// 1.21.
    public var preparesStatements: Bool
    /// The names of tables, by type name. Other tables have the type name in snake case.
    public var tableNames: [String: String]
    /// The existing tables that are used, each for the models of a class.
    public var mappings: [TableMapping]
    /// The steps that convert older records, in any order. Pending ones run when the store is first used, or in
    /// ``PostgresModelStore/prepare(_:dryRun:)`` if it must not create tables.
    public var migrations: [Migration]
    /// Whether a table is created when its type is first used. If it is false, call
    /// ``PostgresModelStore/prepare(_:dryRun:)`` first.
    public var createsTables: Bool
    /// The default evaluation of conditions that SQL can't express. By default such a query throws `unsupported`.
    public var evaluation: QueryEvaluation
    /// The largest number of retries of a batch that the server rolled back because of a conflict (SQLSTATE 40001 and
    /// 40P01).
    public var retryLimit: Int
    /// The isolation of transactions. By default they are serializable.
    public var isolation: Isolation
    /// The interval at which live results poll the commits of other processes.
    public var pollInterval: Duration
    /// Whether commits notify other processes with NOTIFY, and live results wait for that with LISTEN, on one more
    /// connection. Polling goes on at its interval, and is all there is behind a pooler that assigns each transaction
    /// another connection. The server makes commits that notify wait for each other.
    public var usesNotifications: Bool
    /// The time for which the log keeps changes. A process that polls less often lists its live results again.
    public var changeRetention: Duration
    /// The treatment of records that their class can't decode.
    public var unreadable: UnreadableRecords

    /// Creates options.
    ///
    /// - Parameters:
    ///   - schema: the schema of the tables.
    ///   - poolSize: the largest number of connections.
    ///   - connectionTimeout: the time that a call waits for a connection.
    ///   - answerTimeout: the time that a call waits for an answer of the server.
    ///   - preparesStatements: whether statements are prepared once per connection.
    ///   - tableNames: the names of tables, by the names of model types.
    ///   - mappings: the existing tables that are used.
    ///   - migrations: the steps that convert older records.
    ///   - createsTables: whether a table is created when its type is first used.
    ///   - evaluation: the place where the conditions are evaluated that SQL can't express.
    ///   - retryLimit: the number of times that a batch is sent again.
    ///   - isolation: the isolation of transactions.
    ///   - pollInterval: the interval at which live results poll the commits of other processes.
    ///   - usesNotifications: whether commits notify other processes.
    ///   - changeRetention: the time for which the log keeps changes.
    ///   - unreadable: the treatment of such records when others are read together with them. Default: the call throws.
    public init(
      schema: String = "public", poolSize: Int = 8, connectionTimeout: Duration = .seconds(30),
      answerTimeout: Duration? = nil, preparesStatements: Bool = true, tableNames: [String: String] = [:],
      mappings: [TableMapping] = [], migrations: [Migration] = [], createsTables: Bool = true,
      evaluation: QueryEvaluation = .byStore, retryLimit: Int = 10, isolation: Isolation = .serializable,
      pollInterval: Duration = .milliseconds(200), usesNotifications: Bool = false,
      changeRetention: Duration = .seconds(3_600),
      unreadable: UnreadableRecords = .fail
    ) {
      self.schema = schema
      self.poolSize = poolSize
      self.connectionTimeout = connectionTimeout
      self.answerTimeout = answerTimeout
      self.preparesStatements = preparesStatements
      self.tableNames = tableNames
      self.mappings = mappings
      self.migrations = migrations
      self.createsTables = createsTables
      self.evaluation = evaluation
      self.retryLimit = retryLimit
      self.isolation = isolation
      self.pollInterval = pollInterval
      self.usesNotifications = usesNotifications
      self.changeRetention = changeRetention
      self.unreadable = unreadable
    }
  }
#endif

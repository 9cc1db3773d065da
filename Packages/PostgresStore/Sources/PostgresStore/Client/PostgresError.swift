#if Postgres
  /// An error of the server, or of the connection to it.
  ///
  /// ```swift
  /// if let cause = error.cause as? PostgresError, cause.sqlState == "57014" { … }
  /// ```
  public struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// The SQLSTATE of the error, five characters; nil if the connection failed for another reason than a
    /// rejected login.
    public let sqlState: String?
    /// The message of the server or of the connection, without values.
    public let message: String
    /// The statement, with placeholders instead of values; nil if there was none.
    public internal(set) var statement: String?
    /// The name of the violated constraint.
    public let constraint: String?
    /// The name of the table that the error is about.
    public let table: String?
    /// The name of the column that caused the error.
    public let column: String?
    /// The name of the domain that a value violates.
    let domain: String?
    /// The keys of the fields that the error is about.
    var fields: [String] = []
    /// Whether rows are still referenced by others.
    var isAboutReferences = false
    /// Whether the server did not answer within the time of the options. The connection is closed then.
    var isAnswerMissing = false

    init(
      _ message: String, sqlState: String? = nil, statement: String? = nil, constraint: String? = nil,
      table: String? = nil, column: String? = nil, domain: String? = nil
    ) {
      self.message = message
      self.sqlState = sqlState
      self.statement = statement
      self.constraint = constraint
      self.table = table
      self.column = column
      self.domain = domain
    }

    /// The message, the state, and the statement.
    public var description: String {
      var text = message
      if let sqlState { text += " (SQLSTATE \(sqlState))" }
      if let statement { text += " in \(statement)" }
      return text
    }

    /// Whether the connection can't be used any more.
    var isConnectionLost: Bool {
      guard let sqlState else { return true }
      return isAboutReadOnlyServer || sqlState.hasPrefix("08")
        || ["57P01", "57P02", "57P03", "25P03"].contains(sqlState)
    }

    /// Whether the server only reads, as a previous primary does. Another connection may reach the new one.
    var isAboutReadOnlyServer: Bool { sqlState == "25006" }

    /// Whether another connection can succeed at once. A statement without an answer could take as long there.
    var isWorthAnotherConnection: Bool { isConnectionLost && !isAnswerMissing }

    /// Whether the same statements can succeed if they are run again.
    var isTransient: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// Whether a schema or a table to create exists, which a row of the catalog of the server can report, too.
    var isAboutExistingTable: Bool { ["23505", "42P06", "42P07", "42710"].contains(sqlState) }

    /// Whether a column does not exist any more, or has another type now.
    var isAboutColumns: Bool { ["42703", "42804", "42883"].contains(sqlState) }

    /// Whether a value can't be converted as a statement requires.
    var isAboutData: Bool { sqlState?.hasPrefix("22") == true }
  }
#endif

#if Postgres
  import CBenchmarkPostgres
  import Foundation

  /// A connection of a program that uses libpq by hand. All calls wait.
  final class BareConnection {
    private let connection: OpaquePointer

    struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    init(_ location: String) throws {
      guard let connection = PQconnectdb(location), PQstatus(connection) == CONNECTION_OK else {
        throw Failure(description: "libpq can't connect.")
      }
      self.connection = connection
    }

    deinit { PQfinish(connection) }

    func prepare(_ name: String, _ sql: String) throws {
      let result = PQprepare(connection, name, sql, 0, nil)
      defer { PQclear(result) }
      if PQresultStatus(result) != PGRES_COMMAND_OK {
        throw Failure(description: String(cString: PQerrorMessage(connection)))
      }
    }

    /// Runs a prepared statement, and calls a closure with each value of the first column.
    func run(_ name: String, _ parameters: [String], _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
      let copies = parameters.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      let result = PQexecPrepared(
        connection, name, Int32(copies.count), copies.map { UnsafePointer($0) }, nil, nil, 0)
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_TUPLES_OK else {
        throw Failure(description: String(cString: PQerrorMessage(connection)))
      }
      for row in 0..<PQntuples(result) {
        try body(
          UnsafeRawBufferPointer(start: PQgetvalue(result, row, 0), count: Int(PQgetlength(result, row, 0))))
      }
    }
  }
#endif

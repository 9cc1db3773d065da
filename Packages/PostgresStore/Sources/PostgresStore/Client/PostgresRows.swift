#if Postgres
  import CPostgres

  /// The rows that a statement returned.
  // Unchecked, because a result is not changed after libpq has returned it. Functions that read it may be called by any
  // thread, and it is freed when the last reference is released.
  final class PostgresRows: @unchecked Sendable {
    private let result: OpaquePointer
    /// The number of rows.
    let count: Int
    /// The number of rows that the statement wrote.
    let affectedCount: Int

    init(_ result: OpaquePointer) {
      self.result = result
      count = Int(PQntuples(result))
      affectedCount = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    deinit { PQclear(result) }

    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) != 0 }

    /// Returns the bytes of a value; empty for null.
    func bytes(_ row: Int, _ column: Int) -> [UInt8] { Array(buffer(row, column)) }

    /// Returns a value as text; nil for null.
    func text(_ row: Int, _ column: Int) -> String? {
      isNull(row, column) ? nil : String(decoding: buffer(row, column), as: UTF8.self)
    }

    /// Returns an integer; nil for null.
    func integer(_ row: Int, _ column: Int) -> Int? { text(row, column).flatMap { Int($0) } }

    private func buffer(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(
        start: PQgetvalue(result, Int32(row), Int32(column)), count: Int(PQgetlength(result, Int32(row), Int32(column)))
      )
    }
  }
#endif

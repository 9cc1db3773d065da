#if Postgres
  import CPostgres

  extension PostgresSession {
    /// Adds rows to a table with COPY, which is not possible in pipeline mode.
    ///
    /// - Returns: the number of added rows.
    /// - Throws: ``PostgresError``.
    mutating func copy(_ statement: String, _ rows: CopyRows) throws(PostgresError) -> Int {
      try givingUp { session throws(PostgresError) in try session.copyOutsideOfPipeline(statement, rows) }
    }

    private func copyOutsideOfPipeline(_ statement: String, _ rows: CopyRows) throws(PostgresError) -> Int {
      guard PQexitPipelineMode(session) == 1 else { throw lost }
      guard PQsendQuery(session, statement) == 1 else { throw lost }
      try flush()
      var (count, failure) = (0, PostgresError?.none)
      while let result = try nextResult() {
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COPY_IN:
          // A result of this state comes again until the end of the rows.
          try put(rows)
        case PGRES_COMMAND_OK: count = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        default: if failure == nil { failure = Self.error(of: result, statement) }
        }
      }
      guard PQenterPipelineMode(session) == 1 else { throw failure ?? lost }
      if let failure { throw failure }
      return count
    }

    private func put(_ rows: CopyRows) throws(PostgresError) {
      var start = 0
      while start < rows.bytes.count {
        let end = min(start + 65_536, rows.bytes.count)
        let state = rows.bytes[start..<end].withUnsafeBytes {
          PQputCopyData(session, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
        }
        if state < 0 { throw lost }
        if state > 0 { start = end }
        // libpq would buffer all rows otherwise, and move them with each part that is sent.
        try flush()
      }
      while true {
        let state = PQputCopyEnd(session, nil)
        if state < 0 { throw lost }
        try flush()
        if state == 1 { return }
      }
    }
  }
#endif

#if Postgres
  import CPostgres

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  extension PostgresSession {
    static func connect(_ location: PostgresLocation) throws(PostgresError) -> OpaquePointer {
      let parameters = location.parameters
      var keys: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.key)) } + [nil]
      var values: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.value)) } + [nil]
      defer {
        for text in keys + values { free(UnsafeMutablePointer(mutating: text)) }
      }
      guard let session = PQconnectdbParams(&keys, &values, 1) else { throw PostgresError("There is no memory left.") }
      guard PQstatus(session) == CONNECTION_OK else {
        let message = location.redacted(message(of: session))
        let state = PQconnectionNeedsPassword(session) == 1 ? "28P01" : stateOfRejection(message)
        PQfinish(session)
        throw PostgresError(message, sqlState: state)
      }
      PQsetnonblocking(session, 1)
      _ = PQsetErrorContextVisibility(session, PQSHOW_CONTEXT_NEVER)
      PQsetNoticeProcessor(session, { _, _ in }, nil)
      guard PQenterPipelineMode(session) == 1 else {
        PQfinish(session)
        throw PostgresError("The connection does not support pipeline mode.")
      }
      return session
    }

    /// Returns the SQLSTATE of a server that rejects connections, which libpq has only the message of; nil if others
    /// may succeed later.
    private static func stateOfRejection(_ message: String) -> String? {
      guard message.contains("FATAL:") else { return nil }
      if message.contains(#/database "[^"]*" does not exist/#) { return "3D000" }
      let isRejected = message.contains(
        #/authentication failed|no pg_hba.conf entry|pg_hba.conf rejects|role "[^"]*" does not exist|not permitted to log in/#
      )
      return isRejected ? "28000" : nil
    }
  }
#endif

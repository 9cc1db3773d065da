#if Postgres
  import CPostgres

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// The parameters of a connection. It prints without the password, also as a part of a value that `dump` prints.
  struct PostgresLocation: Sendable, CustomStringConvertible, CustomReflectable {
    /// The parameters, with the names of libpq.
    private(set) var parameters: [(key: String, value: String)]

    /// Reads a connection string: a URI, or pairs such as `host=… dbname=…`.
    ///
    /// - Throws: ``PostgresError`` without any part of the string, which can have a password anywhere.
    init(_ text: String) throws(PostgresError) {
      if text.utf8.contains(0) { throw PostgresError("The connection string has a zero byte.") }
      var message: UnsafeMutablePointer<CChar>?
      guard let options = PQconninfoParse(text, &message) else {
        PQfreemem(message)
        throw PostgresError(
          "The connection string can't be read: it is neither a URI such as postgres://user@host/database "
            + "nor pairs of keywords and values.")
      }
      defer { PQconninfoFree(options) }
      var found: [(key: String, value: String)] = []
      var option = options
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val { found.append((String(cString: keyword), String(cString: value))) }
        option += 1
      }
      parameters = found
      setDefault("connect_timeout", "10")
      setDefault("fallback_application_name", "ModelKit")
      setDefault("client_encoding", "UTF8")
      // Without it a dead peer would be noticed after two hours.
      setDefault("keepalives_idle", "30")
      setDefault("tcp_user_timeout", "60000")
      // A store writes. If there are several servers, it uses the one that allows writes, which is another one after a
      // failover.
      let hosts = found.filter { $0.key == "host" || $0.key == "hostaddr" }
      if hosts.contains(where: { $0.value.contains(",") }) { setDefault("target_session_attrs", "read-write") }
    }

    private mutating func setDefault(_ key: String, _ value: String) {
      if !parameters.contains(where: { $0.key == key }) { parameters.append((key, value)) }
    }

    private func isSecret(_ key: String) -> Bool { key == "password" || key == "sslpassword" }

    /// Returns a text without the secrets of the connection.
    func redacted(_ text: String) -> String {
      // By bytes: a secret beside a combining mark is no sequence of characters.
      let bytes = parameters.filter { isSecret($0.key) && !$0.value.isEmpty }
        .reduce(Array(text.utf8)) { $0.replacing(Array($1.value.utf8), with: Array("•••".utf8)) }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// The user, host, port and database.
    var description: String {
      func value(_ key: String) -> String? { parameters.first { $0.key == key }?.value }
      let user = value("user").map { $0 + "@" } ?? ""
      let port = value("port").map { ":" + $0 } ?? ""
      return "postgres://\(user)\(value("host") ?? "")\(port)/\(value("dbname") ?? "")"
    }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
  }
#endif

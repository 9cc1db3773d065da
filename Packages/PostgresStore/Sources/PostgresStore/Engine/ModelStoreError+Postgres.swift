#if Postgres
  @_spi(ModelKitInternals) import StoreProtocol

  extension ModelStoreError {
    /// An error of the server or of the connection, as stores report it.
    init(_ error: PostgresError) {
      let field = error.column
      var fields: [String: [String]] = [:]
      let (code, sentence): (Code, String)
      switch error.sqlState {
      case nil:
        (code, sentence) = (
          .offline, "PostgreSQL can't be reached: \(error.message). Nothing was written; try again later."
        )
      case "23505":
        if let field { fields[field] = ["is taken"] }
        (code, sentence) = (
          .conflict,
          "Nothing was written: \(field ?? "a value") has to be unique, and another record has the same value."
        )
      case "23502":
        if let field { fields[field] = ["is missing"] }
        (code, sentence) = (.invalid, "Nothing was written: \(field ?? "a column") must have a value.")
      case "23503":
        if let field { fields[field] = ["references nothing"] }
        (code, sentence) = (
          .invalid, "Nothing was written: \(field ?? "a foreign key") references a row that is not there."
        )
      case "23514":
        if let field { fields[field] = ["is not allowed"] }
        (code, sentence) = (.invalid, "Nothing was written: a check of the table \(error.table ?? "") refused it.")
      case "57014", "55P03": (code, sentence) = (.timeout, "PostgreSQL ended the call: \(error.message).")
      case "53300": (code, sentence) = (.timeout, "The call was not made: \(error.message)")
      case "40001", "40P01":
        (code, sentence) = (.conflict, "Nothing was written: others wrote the same records again and again. Try again.")
      case "42501": (code, sentence) = (.denied, "PostgreSQL denied the call: \(error.message).")
      case "53100": (code, sentence) = (.full, "Nothing was written: the disk of the server is full.")
      case let state? where state.hasPrefix("28"):
        (code, sentence) = (.unauthorized, "PostgreSQL refused the login: \(error.message).")
      case let state? where state.hasPrefix("08") || state.hasPrefix("57P"):
        (code, sentence) = (
          .offline, "PostgreSQL can't be reached: \(error.message). Nothing was written; try again later."
        )
      case let state? where state.hasPrefix("22"):
        (code, sentence) = (.invalid, "Nothing was written or read: PostgreSQL can't keep a value: \(error.message).")
      default: (code, sentence) = (.server, "PostgreSQL refused a statement: \(error.message).")
      }
      self.init(code, sentence, fields: fields, cause: error)
    }

    /// The server may have committed or not.
    static func unknownOutcome(_ error: PostgresError) -> ModelStoreError {
      ModelStoreError(
        .offline,
        "The connection was lost during COMMIT, so that it is unknown whether the batch was written. Refresh the models "
          + "before you write them again.", cause: error)
    }
  }
#endif

#if Postgres
  @_spi(ModelKitInternals) import StoreProtocol

  extension ModelStoreError {
    /// Converts an error of the server or of the connection.
    init(_ error: PostgresError) {
      let keys = error.fields.isEmpty ? error.column.map { [$0] } ?? [] : error.fields
      let field = keys.isEmpty ? nil : keys.joined(separator: " and ")
      var fields: [String: [String]] = [:]
      func blame(_ reason: String) { for key in keys { fields[key] = [reason] } }
      let (code, sentence): (Code, String)
      switch error.sqlState {
      case nil where error.isAnswerMissing:
        (code, sentence) = (.timeout, "The call was ended: \(error.message). Nothing was written; try again later.")
      case nil:
        (code, sentence) = (
          .offline, "PostgreSQL can't be reached: \(error.message). Nothing was written; try again later."
        )
      case "23505":
        blame("is taken")
        (code, sentence) = (
          .conflict,
          "Nothing was written: \(field ?? "a value") must be unique, and another record has the same value."
        )
      case "23502":
        blame("is missing")
        (code, sentence) = (.invalid, "Nothing was written: \(field ?? "a column") must have a value.")
      case "23503":
        if error.isAboutReferences {
          (code, sentence) = (
            .denied, "Nothing was written: rows of the table \(error.table ?? "") reference what was to be deleted."
          )
          break
        }
        blame("references nothing")
        (code, sentence) = (
          .invalid, "Nothing was written: \(field ?? "a foreign key") references a row that does not exist."
        )
      case "23514":
        blame("is not allowed")
        (code, sentence) = (
          .invalid, "Nothing was written: a check of PostgreSQL does not allow \(field ?? "the values of a row")."
        )
      case "22001":
        blame("is too long")
        (code, sentence) = (.invalid, "Nothing was written: \(field ?? "a text") is too long for its column.")
      case "22003" where !error.fields.isEmpty:
        blame("is out of range")
        (code, sentence) = (.invalid, "Nothing was written: \(field ?? "a number") is out of the range of its column.")
      case "57014", "55P03": (code, sentence) = (.timeout, "PostgreSQL ended the call: \(error.message).")
      case "53300": (code, sentence) = (.timeout, "The call was not made: \(error.message)")
      case "40001", "40P01":
        (code, sentence) = (
          .conflict, "Nothing was written: too many concurrent writes of the same records. Try again."
        )
      case "42501": (code, sentence) = (.denied, "PostgreSQL denied the call: \(error.message).")
      case "53100": (code, sentence) = (.full, "Nothing was written: the disk of the server is full.")
      case "3D000": (code, sentence) = (.notFound, "PostgreSQL has no such database: \(error.message).")
      case let state? where state.hasPrefix("28"):
        (code, sentence) = (.unauthorized, "PostgreSQL rejected the login: \(error.message).")
      case let state? where state.hasPrefix("08") || state.hasPrefix("57P") || state == "25P03":
        (code, sentence) = (
          .offline, "PostgreSQL can't be reached: \(error.message). Nothing was written; try again later."
        )
      case let state? where state.hasPrefix("22"):
        (code, sentence) = (.invalid, "Nothing was written or read: PostgreSQL can't store a value: \(error.message).")
      default: (code, sentence) = (.server, "PostgreSQL rejected a statement: \(error.message).")
      }
      self.init(code, sentence, fields: fields, cause: error)
    }

    /// Returns the error of a commit whose outcome is unknown.
    static func unknownOutcome(_ error: PostgresError) -> ModelStoreError {
      var unknown = ModelStoreError(
        .offline,
        "The connection was lost during COMMIT, so it is unknown whether the batch was written. Refresh the models "
          + "before you write them again.", cause: error)
      unknown.isOutcomeUnknown = true
      return unknown
    }
  }
#endif

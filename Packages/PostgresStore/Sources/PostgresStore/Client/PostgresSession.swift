#if Postgres
  import CPostgres

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// How connections are used.
  struct ConnectionOptions: Sendable {
    /// Whether statements are prepared once per connection.
    var preparesStatements = true
    /// The time to wait for an answer of the server; nil without a limit.
    var answerTimeout: Duration?
  }

  /// A session with the server, for one thread at a time. All calls wait.
  struct PostgresSession: ~Copyable {
    let session: OpaquePointer
    /// The prepared statements, with the numbers of their last uses.
    private var prepared: [String: (name: String, lastUse: Int)] = [:]
    private var useCount = 0
    private let preparesStatements: Bool
    /// The number of prepared statements that a session keeps: each costs memory in the server.
    private static let preparedLimit = 256
    /// The time to wait for an answer; nil without a limit.
    private let answerTimeout: Duration?
    /// Whether the connection must be closed, although libpq takes it for a good one.
    private var isGivenUp = false

    /// Connects, and begins pipeline mode.
    ///
    /// - Throws: ``PostgresError`` without the password.
    init(_ location: PostgresLocation, _ options: ConnectionOptions) throws(PostgresError) {
      session = try Self.connect(location)
      preparesStatements = options.preparesStatements
      answerTimeout = options.answerTimeout
    }

    deinit { PQfinish(session) }

    /// Whether the session can run statements.
    var isUsable: Bool { PQstatus(session) == CONNECTION_OK && !isGivenUp }

    /// Whether a transaction is open.
    var isInTransaction: Bool { PQtransactionStatus(session) != PQTRANS_IDLE }

    /// Returns the handle with which another thread can cancel the running statement.
    func makeCancellation() -> OpaquePointer? { PQgetCancel(session) }

    static func message(of session: OpaquePointer) -> String {
      var text = PQerrorMessage(session).map { String(cString: $0) } ?? ""
      while text.last?.isWhitespace == true { text.removeLast() }
      return text.isEmpty ? "the connection to the server was lost" : text
    }

    var lost: PostgresError { PostgresError(Self.message(of: session)) }

    /// Runs statements, all of which are sent before the first answer is read. None is run after one that fails.
    ///
    /// - Throws: ``PostgresError`` of the first statement that failed.
    mutating func run(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresRows] {
      try receive(try send(statements))
    }

    /// Statements that were sent, or a part of them that the socket took.
    struct SentStatements: Sendable {
      fileprivate let statements: [PostgresStatement]
      /// The answers that come, each for a statement or for its preparation.
      fileprivate var steps: [(statement: Int, newName: String?)] = []
    }

    /// Sends statements without waiting. ``receive(_:)`` sends what the socket does not take at once.
    ///
    /// - Throws: ``PostgresError`` if the connection is lost.
    mutating func send(_ statements: [PostgresStatement]) throws(PostgresError) -> SentStatements {
      let sent = try send(statements, preparing: preparesStatements)
      if PQflush(session) < 0 { throw lost }
      return sent
    }

    /// Returns the results of statements that were sent.
    ///
    /// - Throws: ``PostgresError`` of the first statement that failed.
    mutating func receive(_ sent: SentStatements) throws(PostgresError) -> [PostgresRows] {
      try givingUp { session throws(PostgresError) in
        try session.flush()
        defer { session.takeNotifications() }
        return try session.readResults(sent)
      }
    }

    mutating func givingUp<Result>(
      _ body: (inout PostgresSession) throws(PostgresError) -> Result
    ) throws(PostgresError) -> Result {
      do {
        return try body(&self)
      } catch {
        if error.isAnswerMissing || error.isAboutReadOnlyServer { isGivenUp = true }
        throw error
      }
    }

    /// Whether there are so many prepared statements that some should be deallocated.
    var hasManyStatements: Bool { prepared.count > Self.preparedLimit }

    /// Deallocates the prepared statements that were not used for longest, if there are many.
    ///
    /// - Throws: ``PostgresError``. The session must not be used any more then.
    mutating func trimStatements() throws(PostgresError) {
      guard hasManyStatements else { return }
      let unused = prepared.sorted { $0.value.lastUse < $1.value.lastUse }
        .prefix(prepared.count - Self.preparedLimit / 2)
      for statement in unused { prepared[statement.key] = nil }
      _ = try receive(try send(unused.map { PostgresStatement("DEALLOCATE \($0.value.name)") }, preparing: false))
    }

    private mutating func send(
      _ statements: [PostgresStatement], preparing: Bool
    ) throws(PostgresError) -> SentStatements {
      var sent = SentStatements(statements: statements)
      for (number, statement) in statements.enumerated() {
        if preparing {
          useCount += 1
          if prepared[statement.sql] == nil {
            // A name that was given twice would be an error.
            let name = "m\(useCount)"
            prepared[statement.sql] = (name, useCount)
            sent.steps.append((number, name))
            try prepare(statement, name)
          } else {
            prepared[statement.sql]?.lastUse = useCount
          }
        }
        sent.steps.append((number, nil))
        try send(statement)
      }
      guard PQpipelineSync(session) == 1 else { throw lost }
      return sent
    }

    private func prepare(_ statement: PostgresStatement, _ name: String) throws(PostgresError) {
      let types = statement.values.map(\.type)
      guard PQsendPrepare(session, name, statement.sql, Int32(types.count), types) == 1 else { throw lost }
    }

    private func send(_ statement: PostgresStatement) throws(PostgresError) {
      let values = statement.values
      let bytes = values.map(\.bytes)
      let lengths = bytes.map { Int32($0?.count ?? 0) }
      let formats = [Int32](repeating: 1, count: values.count)
      var storage: [UInt8] = []
      storage.reserveCapacity(bytes.reduce(1) { $0 + ($1?.count ?? 0) })
      var offsets: [Int?] = []
      for value in bytes {
        offsets.append(value == nil ? nil : storage.count)
        storage += value ?? []
      }
      // A pointer to an empty value must not be nil, which stands for null.
      storage.append(0)
      let isSent = storage.withUnsafeBytes { buffer in
        let pointers = offsets.map { offset in offset.map { buffer.baseAddress?.advanced(by: $0) } ?? nil }
          .map { $0?.assumingMemoryBound(to: CChar.self) }
        if let name = prepared[statement.sql]?.name {
          return PQsendQueryPrepared(session, name, Int32(values.count), pointers, lengths, formats, 0)
        }
        return PQsendQueryParams(
          session, statement.sql, Int32(values.count), values.map(\.type), pointers, lengths, formats, 0)
      }
      guard isSent == 1 else { throw lost }
    }

    private mutating func readResults(_ sent: SentStatements) throws(PostgresError) -> [PostgresRows] {
      let statements = sent.statements
      var results: [PostgresRows] = []
      var failure: PostgresError?
      for (number, newName) in sent.steps {
        var isPrepared = false
        while let result = try nextResult() {
          switch PQresultStatus(result) {
          case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
            if newName == nil {
              results.append(PostgresRows(result))
            } else {
              isPrepared = true
              PQclear(result)
            }
          case PGRES_PIPELINE_ABORTED: PQclear(result)
          default:
            if failure == nil { failure = Self.error(of: result, statements[number].sql) }
            PQclear(result)
          }
        }
        if newName != nil, !isPrepared { prepared[statements[number].sql] = nil }
      }
      // The end of the pipeline.
      guard let end = try nextResult() else { throw failure ?? lost }
      let status = PQresultStatus(end)
      PQclear(end)
      if let failure { throw failure }
      guard status == PGRES_PIPELINE_SYNC else { throw lost }
      return results
    }

    /// Waits for a notification of a channel that the session listens to.
    ///
    /// - Parameters:
    ///   - time: the time after which the wait ends.
    ///   - goesOn: returns whether the wait is still wanted. It is called ten times in a second.
    /// - Returns: whether there was one.
    /// - Throws: ``PostgresError`` if the connection is lost.
    func waitForNotification(
      atMost time: Duration, while goesOn: () -> Bool
    ) throws(PostgresError) -> Bool {
      let end = ContinuousClock.now + time
      var isNotified = takeNotifications()
      while !isNotified, .now < end, goesOn() {
        let rest = min(0.1, max(0.001, ContinuousClock.now.duration(to: end).seconds))
        var descriptor = pollfd(fd: PQsocket(session), events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, Int32(rest * 1_000))
        guard isUsable, PQconsumeInput(session) == 1 else { throw lost }
        isNotified = takeNotifications()
      }
      return isNotified
    }

    /// Removes the notifications that have arrived. Behind a pooler, those of another session can be among them.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    private func takeNotifications() -> Bool {
      var isFound = false
      while let notification = PQnotifies(session) {
        isFound = true
        PQfreemem(notification)
      }
      return isFound
    }

    static func error(of result: OpaquePointer, _ statement: String) -> PostgresError {
      func field(_ code: Character) -> String? {
        PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
      }
      // The detail has values, so it is left out.
      let state = field("C")
      var message = field("M") ?? "the connection to the server was lost"
      if let state, state.hasPrefix("22") || state == "42804" { message = withoutValues(message, state) }
      return PostgresError(
        message, sqlState: state, statement: statement, constraint: field("n"), table: field("t"),
        column: field("c"), domain: field("d"))
    }

    /// Returns a message about a value without the value, which the server puts at its end or in quotes.
    private static func withoutValues(_ message: String, _ state: String) -> String {
      if state == "22003" { return "a number is out of range" }
      let text = message.prefix { !":\"'«»‹›„“”‘’`".contains($0) }
      return text.isEmpty ? "a value has another format" : String(text)
    }

    func flush() throws(PostgresError) {
      var lastAnswer = ContinuousClock.now
      while true {
        let state = PQflush(session)
        if state == 0 { return }
        if state < 0 { throw lost }
        let ready = wait(for: Int16(POLLIN) | Int16(POLLOUT))
        if ready & Int16(POLLIN) != 0, PQconsumeInput(session) == 0 { throw lost }
        try checkTime(since: &lastAnswer, ready)
      }
    }

    func nextResult() throws(PostgresError) -> OpaquePointer? {
      var lastAnswer = ContinuousClock.now
      while PQisBusy(session) == 1 {
        let ready = wait(for: Int16(POLLIN))
        if PQconsumeInput(session) == 0 { throw lost }
        try checkTime(since: &lastAnswer, ready)
      }
      return PQgetResult(session)
    }

    private func checkTime(since lastAnswer: inout ContinuousClock.Instant, _ ready: Int16) throws(PostgresError) {
      if ready != 0 { lastAnswer = .now }
      guard let answerTimeout, lastAnswer.duration(to: .now) > answerTimeout else { return }
      var error = PostgresError("the server did not answer within \(answerTimeout)")
      error.isAnswerMissing = true
      throw error
    }

    private func wait(for events: Int16) -> Int16 {
      var descriptor = pollfd(fd: PQsocket(session), events: events, revents: 0)
      _ = poll(&descriptor, 1, answerTimeout.map { Int32(min(1, max(0.001, $0.seconds / 4)) * 1_000) } ?? 1_000)
      return descriptor.revents
    }
  }
#endif

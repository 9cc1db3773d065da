#if Postgres
  import CPostgres
  import Dispatch
  import Synchronization

  /// A connection to the server. Blocking calls run on a thread of its own, never on the cooperative pool.
  // Unchecked, because the session is used on the serial queue, or inside a lock while the queue is idle. The
  // cancellation is used inside its own lock.
  final class PostgresConnection: @unchecked Sendable {
    private let queue = DispatchQueue(label: "PostgresStore.connection")
    /// The number of calls that the queue has not ended. The session is used by the calling thread only while there are
    /// none, and inside of this lock.
    private let callCount = Mutex(0)
    private var session: SessionBox?
    private let cancellation = Mutex<Cancellation?>(nil)
    /// Whether a statement was to be cancelled. The request can arrive late and end the statement of another task.
    private let isTainted = Mutex(false)
    /// When the connection was last known to work.
    let lastUse = Mutex(ContinuousClock.now)

    /// The means to cancel a statement.
    // Unchecked, because libpq allows any thread to use it; it is freed with the last reference.
    private final class Cancellation: @unchecked Sendable {
      let pointer: OpaquePointer
      init(_ pointer: OpaquePointer) { self.pointer = pointer }
      deinit { PQfreeCancel(pointer) }

      func send() {
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(pointer, &message, 256)
      }
    }

    private final class SessionBox {
      var session: PostgresSession
      init(_ session: consuming PostgresSession) { self.session = session }
    }

    private init() {}

    /// Connects.
    ///
    /// - Throws: ``PostgresError``.
    static func open(
      _ location: PostgresLocation, _ options: ConnectionOptions = ConnectionOptions()
    ) async throws -> PostgresConnection {
      let connection = PostgresConnection()
      try await connection.onQueue {
        let session = try PostgresSession(location, options)
        let cancellation = session.makeCancellation().map { Cancellation($0) }
        connection.cancellation.withLock { $0 = cancellation }
        connection.session = SessionBox(session)
      }
      return connection
    }

    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
      try await withCheckedThrowingContinuation { continuation in
        callCount.withLock { $0 += 1 }
        queue.async {
          let result = Swift.Result { try body() }
          self.callCount.withLock { $0 -= 1 }
          continuation.resume(with: result)
        }
      }
    }

    /// Sends statements at once, as far as the socket takes them without waiting. The connection's thread reads the
    /// answers, and wakes up while the server works.
    ///
    /// - Parameter mayBegin: throws if nothing is to be sent.
    private func exchange(
      _ statements: [PostgresStatement], _ mayBegin: @escaping @Sendable () throws -> Void
    ) async throws -> [PostgresRows] {
      @Sendable func send() throws -> PostgresSession.SentStatements {
        try mayBegin()
        return try usable().session.send(statements)
      }
      return try await withCheckedThrowingContinuation { continuation in
        callCount.withLock { count in
          let sent = count == 0 ? Swift.Result { try send() } : nil
          count += 1
          queue.async {
            let result = Swift.Result { () throws -> [PostgresRows] in
              let sent = try sent?.get() ?? send()
              return try self.usable().session.receive(sent)
            }
            if case .success = result { self.lastUse.withLock { $0 = .now } }
            self.callCount.withLock { $0 -= 1 }
            continuation.resume(with: result)
          }
        }
      }
    }

    private func usable() throws -> SessionBox {
      guard let session, session.session.isUsable else { throw PostgresError("the connection to the server was lost") }
      return session
    }

    /// Runs statements in one round trip. A cancelled task cancels the running statement, if that is allowed.
    ///
    /// - Throws: ``PostgresError``; `CancellationError` if the task was cancelled.
    func run(_ statements: [PostgresStatement], isCancellable: Bool = true) async throws -> [PostgresRows] {
      if !isCancellable { return try await exchange(statements) {} }
      return try await cancelling { try await exchange(statements, $0) }
    }

    /// Adds rows to a table with COPY.
    ///
    /// - Parameters:
    ///   - statement: the statement, which reads rows in the binary format.
    ///   - rows: the rows.
    /// - Returns: the number of added rows.
    /// - Throws: ``PostgresError``; `CancellationError` if the task was cancelled.
    func copy(_ statement: String, _ rows: CopyRows) async throws -> Int {
      try await cancelling { mayBegin in
        try await onQueue {
          try mayBegin()
          return try self.usable().session.copy(statement, rows)
        }
      }
    }

    /// Waits for a notification of a channel that the connection listens to.
    ///
    /// - Parameters:
    ///   - time: the time after which the wait ends.
    ///   - goesOn: returns whether the wait is still wanted.
    /// - Returns: whether there was one.
    /// - Throws: ``PostgresError`` if the connection is lost.
    func waitForNotification(
      atMost time: Duration, while goesOn: @escaping @Sendable () -> Bool
    ) async throws -> Bool {
      try await onQueue { try self.usable().session.waitForNotification(atMost: time, while: goesOn) }
    }

    /// Calls a closure, and cancels the statement that it runs if the task is cancelled.
    private func cancelling<Result>(
      _ body: (_ mayBegin: @escaping @Sendable () throws -> Void) async throws -> Result
    ) async throws -> Result {
      try Task.checkCancellation()
      return try await withTaskCancellationHandler {
        do {
          // The request to cancel can come before the statement.
          return try await body { if self.isTainted.withLock({ $0 }) { throw CancellationError() } }
        } catch let error as PostgresError where error.sqlState == "57014" && Task.isCancelled {
          throw CancellationError()
        }
      } onCancel: {
        isTainted.withLock { $0 = true }
        // Sending it waits for the server, on a thread of its own.
        guard let cancellation = cancellation.withLock({ $0 }) else { return }
        DispatchQueue.global().async { cancellation.send() }
      }
    }

    /// Ends an open transaction and rare statements, and calls a closure with whether the connection can be used again.
    func reset(_ whenDone: @escaping @Sendable (_ isUsable: Bool) -> Void) {
      // Nothing waits for the server mostly, so no other thread is needed.
      let isUsable = callCount.withLock { count -> Bool? in
        guard count == 0, let session, session.session.isUsable, !isTainted.withLock({ $0 }) else { return nil }
        return session.session.isInTransaction || session.session.hasManyStatements ? nil : true
      }
      if isUsable == true { return whenDone(true) }
      queue.async {
        guard let session = self.session, session.session.isUsable else { return whenDone(false) }
        if session.session.isInTransaction {
          _ = try? session.session.run([PostgresStatement("ROLLBACK")])
        }
        guard session.session.isUsable, !session.session.isInTransaction, !self.isTainted.withLock({ $0 }) else {
          return whenDone(false)
        }
        whenDone((try? session.session.trimStatements()) != nil)
      }
    }

    /// Disconnects once the statements before have ended.
    func close() {
      queue.async {
        self.session = nil
        self.cancellation.withLock { $0 = nil }
      }
    }
  }
#endif

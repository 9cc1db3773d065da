#if Postgres
  import CPostgres
  import Dispatch
  import Synchronization

  /// A connection to the server. Blocking calls run on a thread of its own, never on the cooperative pool.
  // Unchecked, because the session is used on the serial queue only, and the cancellation inside of its lock.
  final class PostgresConnection: @unchecked Sendable {
    private let queue = DispatchQueue(label: "PostgresStore.connection")
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
        queue.async { continuation.resume(with: Swift.Result { try body() }) }
      }
    }

    /// Runs statements in one round trip. A cancelled task cancels the running statement, if that is allowed.
    ///
    /// - Throws: ``PostgresError``; `CancellationError` if the task was cancelled.
    func run(_ statements: [PostgresStatement], isCancellable: Bool = true) async throws -> [PostgresRows] {
      if !isCancellable { return try await onQueue { try self.runNow(statements) } }
      try Task.checkCancellation()
      return try await withTaskCancellationHandler {
        do {
          return try await onQueue {
            // The request to cancel came before the statement.
            if self.isTainted.withLock({ $0 }) { throw CancellationError() }
            return try self.runNow(statements)
          }
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

    private func runNow(_ statements: [PostgresStatement]) throws -> [PostgresRows] {
      guard let session, session.session.isUsable else { throw PostgresError("The connection to the server was lost.") }
      let results = try session.session.run(statements)
      lastUse.withLock { $0 = .now }
      return results
    }

    /// Ends an open transaction and rare statements, and calls a closure with whether the connection can be used again.
    func reset(_ whenDone: @escaping @Sendable (_ isUsable: Bool) -> Void) {
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

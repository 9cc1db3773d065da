#if Postgres
  import Dispatch
  import Synchronization

  /// A bounded number of connections, given to tasks in the order of their requests.
  final class ConnectionPool: Sendable {
    private struct State {
      var idle: [PostgresConnection] = []
      /// The connections that are open or being opened.
      var count = 0
      var waiters: [(id: Int, continuation: CheckedContinuation<PostgresConnection?, any Error>)] = []
      var lastWaiter = 0
      var isClosed = false
      /// Whether the server was ever reached.
      var hasConnected = false
    }

    let location: PostgresLocation
    let size: Int
    private let options: ConnectionOptions
    private let timeout: Duration
    private let state = Mutex(State())

    init(_ location: PostgresLocation, size: Int, _ options: ConnectionOptions = ConnectionOptions(), timeout: Duration)
    {
      self.location = location
      self.size = max(1, size)
      self.options = options
      self.timeout = timeout
    }

    /// The number of tasks that wait for a connection.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Calls a closure with a connection that no other task has meanwhile. A transaction that it leaves open is rolled
    /// back.
    func withConnection<Result>(_ body: (PostgresConnection) async throws -> Result) async throws -> Result {
      let connection = try await acquire()
      defer { release(connection) }
      return try await body(connection)
    }

    /// Runs statements in one round trip. If the connection was lost, another one is tried, so they must not write.
    func read(_ statements: [PostgresStatement]) async throws -> [PostgresRows] {
      try await reading { try await $0.run(statements) }
    }

    /// Calls a closure that writes nothing, or can be repeated. If its connection was lost, it is called again with
    /// another one, until all that were idle meanwhile are replaced. So it is if the server rolls it back, as a standby
    /// does with a read whose rows the primary has removed.
    func reading<Result>(_ body: (PostgresConnection) async throws -> Result) async throws -> Result {
      try await repeating { connection in
        defer { release(connection) }
        return try await body(connection)
      }
    }

    /// Returns a connection on which statements have begun a transaction that writes nothing.
    func begin(_ statements: [PostgresStatement]) async throws -> HeldConnection {
      try await repeating { connection in
        let held = HeldConnection(connection, self)
        _ = try await connection.run(statements)
        return held
      }
    }

    /// - Parameter body: a closure that releases its connection.
    private func repeating<Result>(_ body: (PostgresConnection) async throws -> Result) async throws -> Result {
      for _ in 0..<size {
        // Opening a connection has waited for the server already.
        let connection = try await acquire()
        do {
          return try await body(connection)
        } catch let error as PostgresError where error.isWorthAnotherConnection || error.isTransient {
          try Task.checkCancellation()
        }
      }
      return try await body(try await acquire())
    }

    /// Returns a connection, which has to be released.
    private func acquire() async throws -> PostgresConnection {
      while true {
        let connection = try await next()
        guard let connection else { return try await open() }
        // One that was idle for long may be lost without notice.
        if connection.lastUse.withLock({ $0.duration(to: .now) }) < .seconds(20) { return connection }
        if (try? await connection.run([PostgresStatement("SELECT 1")])) != nil { return connection }
        discard(connection)
      }
    }

    /// Opens a connection. While a server that was reached before is away, as during a failover, it is tried again with
    /// growing waits.
    private func open() async throws -> PostgresConnection {
      let deadline = ContinuousClock.now + timeout
      var wait = Duration.milliseconds(20)
      do {
        while true {
          do {
            let connection = try await PostgresConnection.open(location, options)
            state.withLock { $0.hasConnected = true }
            return connection
          } catch let error as PostgresError where error.isConnectionLost {
            // A server that was never reached is likely to be configured wrongly.
            let isWaiting = state.withLock { $0.hasConnected && !$0.isClosed } && .now + wait < deadline
            guard isWaiting else { throw error }
            try await Task.sleep(for: wait)
            wait = min(wait * 2, .seconds(1))
          }
        }
      } catch {
        pass(nil)
        throw error
      }
    }

    /// Returns an idle connection; nil if one more may be opened.
    private func next() async throws -> PostgresConnection? {
      try Task.checkCancellation()
      if let connection = state.withLock({ $0.isClosed ? nil : $0.idle.popLast() }) { return connection }
      let id = state.withLock { state in
        state.lastWaiter += 1
        return state.lastWaiter
      }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let answer: Swift.Result<PostgresConnection?, any Error>? = state.withLock { state in
            if state.isClosed { return .failure(PostgresError("The store is closed.", sqlState: "57P03")) }
            if let connection = state.idle.popLast() { return .success(connection) }
            if state.count < size {
              state.count += 1
              return .success(nil)
            }
            state.waiters.append((id, continuation))
            return nil
          }
          if let answer { return continuation.resume(with: answer) }
          if Task.isCancelled { return fail(id, CancellationError()) }
          DispatchQueue.global().asyncAfter(deadline: .now() + timeout.seconds) { [weak self] in
            guard let self else { return }
            fail(
              id, PostgresError("None of the \(size) connections became free in \(timeout).", sqlState: "53300"))
          }
        }
      } onCancel: {
        fail(id, CancellationError())
      }
    }

    private func fail(_ id: Int, _ error: any Error) {
      let waiter = state.withLock { state -> CheckedContinuation<PostgresConnection?, any Error>? in
        guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return state.waiters.remove(at: index).continuation
      }
      waiter?.resume(throwing: error)
    }

    /// Returns a connection to the pool.
    func release(_ connection: PostgresConnection) {
      connection.reset { [self] isUsable in
        if isUsable { pass(connection) } else { discard(connection) }
      }
    }

    private func discard(_ connection: PostgresConnection) {
      connection.close()
      pass(nil)
    }

    /// Gives a connection, or the permission to open one, to the first task that waits.
    private func pass(_ connection: PostgresConnection?) {
      let waiter = state.withLock { state -> CheckedContinuation<PostgresConnection?, any Error>? in
        if !state.waiters.isEmpty, !state.isClosed { return state.waiters.removeFirst().continuation }
        if let connection, !state.isClosed { state.idle.append(connection) } else { state.count -= 1 }
        return nil
      }
      if let waiter { return waiter.resume(returning: connection) }
      if state.withLock({ $0.isClosed }) { connection?.close() }
    }

    /// Closes idle connections now, and the others once they are released. Waiting tasks fail.
    func close() {
      let (idle, waiters) = state.withLock { state in
        state.isClosed = true
        defer { (state.idle, state.waiters) = ([], []) }
        return (state.idle, state.waiters.map(\.continuation))
      }
      for connection in idle { connection.close() }
      for waiter in waiters { waiter.resume(throwing: PostgresError("The store is closed.", sqlState: "57P03")) }
    }
  }

  extension Duration {
    /// The duration as seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
  }
#endif

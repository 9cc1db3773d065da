#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Notifications of a PostgreSQL store` {
    /// Options of a store that polls less often than the tests run.
    private func options(polling interval: Duration = .seconds(600)) -> PostgresStoreOptions {
      var options = TestServer.options()
      (options.usesNotifications, options.pollInterval) = (true, interval)
      return options
    }

    private func makeSignal(_ number: Int) -> Signal {
      let signal = Signal()
      signal.id.value = number
      return signal
    }

    private let server: TestServer

    init() async throws { server = try await TestServer.shared.value }

    private func listeners(_ options: PostgresStoreOptions) throws -> [Substring] {
      try server.psql("SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN \"modelkit_\(options.schema)\"'")
        .split(separator: "\n")
    }

    private func waitForListeners(_ count: Int, _ options: PostgresStoreOptions) async throws {
      try await TestServer.waitUntil {
        if try listeners(options).count != count { throw CommandFailure(command: "LISTEN") }
      }
    }

    @Test(.timeLimit(.minutes(1))) func `A commit of another process is reported without a poll`() async throws {
      let options = options()
      let reader = try await TestServer.makeStore(options), writer = try await TestServer.makeStore(options)
      #expect(try await reader.count(Signal.self) == 0)
      var changes = reader.changes(of: Signal.self).makeAsyncIterator()
      try await waitForListeners(1, options)
      for number in 1...3 {
        try await writer.create(makeSignal(number))
        #expect(await changes.next()?.map(\.identifier) == ["\(number)"])
      }
    }

    @Test(.timeLimit(.minutes(1))) func `A listener whose connection is lost is replaced by another one`() async throws
    {
      let options = options(polling: .milliseconds(50))
      let reader = try await TestServer.makeStore(options), writer = try await TestServer.makeStore(options)
      #expect(try await reader.count(Signal.self) == 0)
      var changes = reader.changes(of: Signal.self).makeAsyncIterator()
      try await waitForListeners(1, options)
      let former = try listeners(options)[0]
      try server.psql("SELECT pg_terminate_backend(\(former))")
      try await writer.create(makeSignal(1))
      #expect(await changes.next()?.map(\.identifier) == ["1"])
    }

    @Test(.timeLimit(.minutes(1))) func `Behind a pooler of transactions, commits are found by polling`() async throws {
      let options = options(polling: .milliseconds(50))
      let location = try await server.pooled()
      var pooled = options
      pooled.preparesStatements = false
      let reader = PostgresModelStore(location, options: pooled), writer = PostgresModelStore(location, options: pooled)
      #expect(try await reader.count(Signal.self) == 0)
      var changes = reader.changes(of: Signal.self).makeAsyncIterator()
      for number in 1...20 {
        try await writer.create(makeSignal(number))
        #expect(await changes.next()?.map(\.identifier) == ["\(number)"])
      }
    }

    @Test(.timeLimit(.minutes(1))) func `A released store ends its listener`() async throws {
      let options = options()
      do {
        let reader = try await TestServer.makeStore(options)
        #expect(try await reader.count(Signal.self) == 0)
        let changes = reader.changes(of: Signal.self).makeAsyncIterator()
        try await waitForListeners(1, options)
        withExtendedLifetime(changes) {}
      }
      try await waitForListeners(0, options)
    }
  }

  private final class Signal: Model {
    let id = Field<Int>()
    override var identifierField: AnyField? { id }
  }
#endif

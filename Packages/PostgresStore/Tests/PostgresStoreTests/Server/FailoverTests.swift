#if Postgres
  import Foundation
  import ModelCore
  @testable import PostgresStore
  import StoreEngine
  @_spi(ModelKitInternals) import StoreProtocol
  import Testing

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  // One test after another, because each starts servers of its own.
  @Suite(.serialized) struct `Failover of PostgreSQL` {
    private func location(_ servers: [TestServer]) -> String {
      "postgres://tester@\(servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ","))/postgres"
    }

    /// The time in which each writer goes on after the promotion, also on a loaded machine. Alone it takes about one
    /// second: while no server allows writes, the store tries again once a second.
    private static let recoveryTime = Duration.seconds(45)

    @Test(.timeLimit(.minutes(4)))
    func `After a failover under load each acknowledged write is there once, and each writer goes on within seconds`()
      async throws
    {
      let primary = try await TestServer()
      var options = TestServer.options()
      try await PostgresModelStore(primary.location, options: options).prepare([Note.self])
      let standby = try await TestServer(standbyOf: primary)
      try primary.waitForStandby()
      let history = WriteHistory()
      // The promotion is slow on a loaded machine.
      options.connectionTimeout = .seconds(150)
      let handle = PostgresModelStore(location([primary, standby]), options: options).handle
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<8 {
          group.addTask { try await write(as: writer, PostgresModelStore(handle), history) }
        }
        group.addTask {
          while history.acknowledged.count < 200 { try await Task.sleep(for: .milliseconds(1)) }
          try primary.kill()
          try standby.promote()
          let (promotion, counts) = (ContinuousClock.now, history.counts)
          // One more than the write that can have been acknowledged before.
          while history.counts.contains(where: { $1.acknowledged < (counts[$0]?.acknowledged ?? 0) + 2 }) {
            try await Task.sleep(for: .milliseconds(1))
          }
          let time = ContinuousClock.now - promotion
          #expect(time < Self.recoveryTime)
          while history.acknowledged.count < 600 { try await Task.sleep(for: .milliseconds(1)) }
          history.finish()
        }
        // The error of a writer ends the test at once: the counts would not be reached.
        for try await _ in group {}
      }
      let rows = try standby.psql(
        "SELECT body ->> 'text' FROM \(options.schema).note WHERE body ->> 'text' LIKE 'note%'")
      let texts = rows.split(separator: "\n").map { String($0) }
      #expect(Set(texts).count == texts.count)
      #expect(history.acknowledged.subtracting(texts) == [])
      // A write that failed is there only if its outcome was reported as unknown.
      #expect(Set(texts).subtracting(history.acknowledged).subtracting(history.unknown) == [])
      // Each increment that was acknowledged is counted once.
      for (writer, counts) in history.counts {
        let found = try standby.psql(
          "SELECT body ->> 'count' FROM \(options.schema).note WHERE body ->> 'text' = 'counter \(writer)'")
        #expect((counts.acknowledged...counts.acknowledged + counts.unknown).contains(Int(found) ?? -1))
      }
      #expect(history.counts.count == 8)
    }

    /// Creates notes and counts them in another one, each in a transaction, until the history is finished.
    private func write(as writer: Int, _ store: PostgresModelStore, _ history: WriteHistory) async throws {
      let counter = Note()
      counter.text.value = "counter \(writer)"
      counter.count.value = 0
      try await store.create(counter)
      var number = 0
      while !history.isFinished {
        number += 1
        let text = "note \(writer) \(number)"
        do {
          try await store.transaction { store in
            let note = Note()
            note.text.value = text
            try await store.create(note)
            counter.count.value = (counter.count.value ?? 0) + 1
            try await store.update(counter)
          }
          history.note(text, writer, isKnown: true)
        } catch let error as ModelStoreError where error.isOutcomeUnknown {
          history.note(text, writer, isKnown: false)
          try await store.refresh(counter)
        } catch let error as ModelStoreError where error.code == .conflict {
          // Values that were read on the previous primary may differ on the new one, so nothing was written.
          try await store.refresh(counter)
        }
      }
    }

    @Test func `A store that only reads can use a standby`() async throws {
      let primary = try await TestServer()
      var options = TestServer.options()
      try await PostgresModelStore(primary.location, options: options).prepare([Note.self])
      let standby = try await TestServer(standbyOf: primary)
      try primary.waitForStandby()
      let note = Note()
      note.text.value = "replicated"
      try await PostgresModelStore(primary.location, options: options).create(note)
      options.createsTables = false
      let reader = PostgresModelStore(
        location([primary, standby]) + "?target_session_attrs=prefer-standby", options: options)
      #expect(try await reader.list(Note.self).map(\.text.value) == ["replicated"])
      let error = await #expect(throws: ModelStoreError.self) { _ = try await reader.create(Note()) }
      #expect((error?.cause as? PostgresError)?.sqlState == "25006")
    }

    @Test func `A write goes to the new primary once the previous one only reads`() async throws {
      let servers = [try await TestServer(), try await TestServer()]
      let options = TestServer.options()
      for server in servers { try await PostgresModelStore(server.location, options: options).prepare([Note.self]) }
      let store = PostgresModelStore(location(servers), options: options)
      try await store.create(Note())
      try servers[0].psql("ALTER SYSTEM SET default_transaction_read_only = on")
      try servers[0].psql("SELECT pg_reload_conf()")
      try await store.create(Note())
      try await store.create(Note())
      let counts = try servers.map { try $0.psql("SELECT count(*) FROM \(options.schema).note") }
      #expect(counts == ["1", "2"])
    }

    @Test(.timeLimit(.minutes(2)))
    func `A call to a server that is silent ends in time, and the next one uses another connection`() async throws {
      var options = TestServer.options()
      options.answerTimeout = .seconds(2)
      let server = try await TestServer.shared.value
      let store = PostgresModelStore(server.location + "?application_name=\(options.schema)", options: options)
      try await store.create(Note())
      let processes = try server.psql(
        "SELECT pid FROM pg_stat_activity WHERE application_name = '\(options.schema)'"
      ).split(separator: "\n").compactMap { pid_t($0) }
      #expect(!processes.isEmpty)
      for process in processes { kill(process, SIGSTOP) }
      defer { for process in processes { kill(process, SIGCONT) } }
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(Note()) }
      #expect(error?.code == .timeout)
      // Each stopped connection ends one call at most.
      for _ in processes.dropFirst() { _ = try? await store.count(Note.self) }
      #expect(try await store.count(Note.self) == 1)
    }
  }
#endif

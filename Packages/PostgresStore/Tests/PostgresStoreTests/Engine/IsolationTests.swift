#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import StoreProtocolTesting
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `The isolation of a PostgreSQL store` {
    // Each engine stands for a process. At the level REPEATABLE READ of the server, two transactions that read both
    // accounts and write one each would both commit. Two that count the seats and add one would commit, too.
    @Test(arguments: TestEffort.seeds(1))
    func `Transactions of several processes are serializable`(seed: UInt64) async throws {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      try await store.prepare([Account.self, Seat.self])
      for name in ["a", "b"] {
        let account = Account()
        (account.id.value, account.balance.value) = (name, 100)
        try await store.create(account)
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for process in 0..<4 {
          let handle = try await TestServer.makeStore(options).handle
          for task in 0..<2 {
            var random = TestRandom(seed: seed &* 100 &+ UInt64(process * 2 + task))
            let choices = (0..<12).map { _ in random.below(2) }
            group.addTask {
              let store = PostgresModelStore(handle)
              for choice in choices {
                try await withdraw(30, from: choice, store)
                try await takeSeat(store)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let balances = try await TestServer.makeStore(options).list(Account.self).map { $0.balance.value ?? 0 }
      #expect(balances.reduce(0, +) == 20)
      #expect(try await TestServer.makeStore(options).count(Seat.self) == 10)
    }
  }

  /// Withdraws an amount from one account if both together have it.
  private func withdraw(_ amount: Int, from number: Int, _ store: PostgresModelStore) async throws {
    try await store.transaction(retries: 200) { store in
      let accounts = [
        try await store.lookup(Account.self, identifier: "a"), try await store.lookup(Account.self, identifier: "b"),
      ]
      guard accounts.reduce(0, { $0 + ($1.balance.value ?? 0) }) >= amount else { return }
      accounts[number].balance.value = (accounts[number].balance.value ?? 0) - amount
      try await store.update(accounts[number])
    }
  }

  /// Takes a seat if fewer than ten are taken.
  private func takeSeat(_ store: PostgresModelStore) async throws {
    try await store.transaction(retries: 200) { store in
      if try await store.count(Seat.self) < 10 { try await store.create(Seat()) }
    }
  }

  private final class Account: Model {
    let id = Field<String>()
    let balance = Field<Int>()
    override var identifierField: AnyField? { id }
  }

  private final class Seat: Model {
    let id = Field<Int>()
    override var identifierField: AnyField? { id }
  }
#endif

#if Postgres
  import Foundation
  import ModelCore
  @testable import PostgresStore
  import StoreProtocol
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `A connection to PostgreSQL` {
    private func makePool() async throws -> ConnectionPool {
      ConnectionPool(
        try PostgresLocation(try await TestServer.shared.value.location), size: 1, preparesStatements: true,
        timeout: .seconds(30))
    }

    @Test func `A connection keeps a bounded number of prepared statements`() async throws {
      let pool = try await makePool()
      for number in 0..<600 {
        let rows = try await pool.read([PostgresStatement("SELECT \(number)"), PostgresStatement("SELECT 'often'")])
        #expect(rows[0].integer(0, 0) == number)
      }
      let prepared = try await pool.read([
        PostgresStatement(
          "SELECT count(*), count(*) FILTER (WHERE statement = $1) FROM pg_prepared_statements",
          [
            .text("SELECT 'often'")
          ])
      ])
      #expect(prepared[0].integer(0, 0) ?? .max <= 257)
      #expect(prepared[0].integer(0, 1) == 1)
    }
  }
#endif

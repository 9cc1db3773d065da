#if Postgres
  import Foundation
  import ModelCore
  import PostgresStore
  @_spi(ModelKitInternals) import StoreProtocol
  @testable import StoreProtocolTesting
  import Testing

  // One test after another, because each store has connections of its own, and a server bounds their number.
  @Suite(.serialized) struct `Conditions that PostgreSQL evaluates` {
    /// Returns the part of a condition that SQL can't evaluate as stores do; nil if there is none.
    ///
    /// It compares text without case, words, regular expressions, whole lists, or values that a transformer writes.
    private func untranslatable(_ expression: QueryExpression) -> String? {
      switch expression {
      case .constant: return nil
      case .and(let terms), .or(let terms): return terms.lazy.compactMap { untranslatable($0) }.first
      case .not(let term): return untranslatable(term)
      case .any(_, let condition): return untranslatable(condition)
      case .comparison(let comparison):
        if [.ignoringCase, .ignoringCaseAndAccents].contains(comparison.term.form) { return "\(comparison)" }
        if [.matches, .containsMatch, .matchesWords].contains(comparison.operator) { return "\(comparison)" }
        let isEquated = [.equal, .notEqual].contains(comparison.operator)
        // No value is less or greater than nil.
        if comparison.term.path.keys == ["birthday"], isEquated || comparison.operand != .value(.null) {
          return "\(comparison)"
        }
        if case .value(.array) = comparison.operand, comparison.operator != .isIn { return "\(comparison)" }
        return nil
      }
    }

    /// Runs random queries in the server only.
    private func run(_ count: Int, seed: UInt64, _ store: PostgresModelStore) async throws {
      var random = RandomSource(seed: seed)
      let people = try await ModelStoreContract.fill(store, &random)
      var (evaluated, refused) = (0, 0)
      for _ in 0..<count {
        let (query, expected) = ModelStoreContract.randomQuery(people, &random)
        if query.limit == 0 { continue }
        let part = query.filter.flatMap(untranslatable)
        do {
          let found = try await store.identifiers(query)
          #expect(part == nil, "evaluated \(query), seed \(seed)")
          #expect(found == expected.map { String($0.id) }, "\(query), seed \(seed)")
          evaluated += 1
        } catch let error as ModelStoreError where error.code == .unsupported {
          #expect(part != nil, "refused \(query), seed \(seed): \(error)")
          refused += 1
        }
      }
      #expect(evaluated > count / 3 && refused > 0)
    }

    @Test(arguments: TestEffort.seeds(1))
    func `SQL evaluates all random conditions except those that it would evaluate in another way`(
      seed: UInt64
    ) async throws {
      var options = TestServer.options()
      options.evaluation = .byStore
      try await run(400, seed: seed, TestServer.makeStore(options))
      options.schema = TestServer.options().schema
      let indexed = try await TestServer.makeStore(options)
      try await indexed.prepare([ContractPerson.self, ContractCompany.self])
      try await indexed.index(\ContractPerson.name)
      try await indexed.index(\ContractPerson.age)
      try await indexed.index(\ContractPerson.height)
      try await indexed.index(\ContractPerson.balance)
      try await indexed.index(\ContractPerson.joined)
      try await run(400, seed: seed + 1, indexed)
    }
  }
#endif

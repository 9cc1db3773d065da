import ModelKit
import StoreProtocolTesting
import Testing

@Suite struct `Random transactions` {
  @Test(arguments: TestEffort.seeds(60))
  func `A memory store and its live models agree after each transaction`(seed: UInt64) async throws {
    try await UndoStoreKind.memory.run { store, makeReader in
      try await history(TransactionWorld(store, makeReader), seed)
    }
  }

  @Test(arguments: TestEffort.seeds(10))
  func `A file store and its live models agree after each transaction`(seed: UInt64) async throws {
    try await UndoStoreKind.file.run { store, makeReader in
      try await history(TransactionWorld(store, makeReader), seed)
    }
  }

  private func history(_ world: TransactionWorld, _ seed: UInt64) async throws {
    var random = SplitMix(state: seed), log: [String] = []
    for round in 0..<6 {
      world.removeDeleted()
      for _ in 0..<Int.random(in: 0...3, using: &random) { log.append(world.edit(&random)) }
      let before = try await world.records().lines
      let isFailing = Int.random(in: 0..<3, using: &random) > 0
      log.append("round \(round) \(isFailing ? "fails" : "commits")")
      var isCommitted = !isFailing
      do {
        try await world.transaction(isFailing: isFailing, &log) { log in
          try await world.act(&random, &log, linksNew: !isFailing)
        }
      } catch is ModelStoreError {
        isCommitted = false
      } catch {
        Issue.record("seed \(seed): \(error)\n\(log.suffix(30).joined(separator: "\n"))")
        return
      }
      let (lines, broken) = try await world.records()
      try #require(broken.isEmpty, "seed \(seed): \(broken)\n\(log.suffix(30).joined(separator: "\n"))")
      if !isCommitted { try #require(lines == before, "seed \(seed)\n\(log.suffix(30).joined(separator: "\n"))") }
      let stale = world.cleanRecords.filter { !lines.contains($0) }
      try #require(stale.isEmpty, "seed \(seed): \(stale) of \(lines)\n\(log.suffix(30).joined(separator: "\n"))")
    }
  }
}

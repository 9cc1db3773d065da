import StoreProtocolTesting
import Testing

@testable import SyncStore

@Suite struct `Randomized histories of synchronised stores` {
  @Test(arguments: 0...5)
  func `All promises hold after faults and kills`(tier: Int) async throws {
    try await check(tier, StoreSimulation.Choices(), seeds: 2)
  }

  @Test(arguments: 0...5)
  func `All promises hold if conflicts are decided at random`(tier: Int) async throws {
    try await check(tier, StoreSimulation.Choices(decidesAtRandom: true), seeds: 2)
  }

  @Test(arguments: 0...5)
  func `All promises hold if clients lose access to records for a time`(tier: Int) async throws {
    try await check(tier, StoreSimulation.Choices(revokesAccess: true), seeds: 2)
  }

  @Test(arguments: 0...5)
  func `All promises hold after a backup of the server was restored`(tier: Int) async throws {
    try await check(tier, StoreSimulation.Choices(restoresBackup: true), seeds: 2)
  }

  @Test(arguments: 0...5)
  func `All promises hold if the clocks of clients are wrong, and are set`(tier: Int) async throws {
    try await check(tier, StoreSimulation.Choices(setsClocks: true), seeds: 2)
  }

  private func check(_ tier: Int, _ choices: StoreSimulation.Choices, seeds: Int) async throws {
    for seed in TestEffort.seeds(seeds) {
      let simulation = StoreSimulation(tier: tier, seed: seed, choices)
      try await simulation.run(operations: 50)
      #expect(simulation.problems.sorted() == [], "tier \(tier), seed \(seed)")
    }
  }
}

import StoreProtocolTesting
import Testing

@testable import SyncStore

@Suite struct `The simulation of synchronisation` {
  @Test(arguments: 0...4)
  func `All clients equal the server, and no local write vanishes, after the faults end`(tier: Int) {
    for seed in TestEffort.seeds(100) {
      var simulation = Simulation(tier: tier, seed: seed)
      simulation.run(operations: 60)
      #expect(simulation.problems == [], "tier \(tier), seed \(seed)")
    }
  }

  @Test(arguments: 0...4)
  func `All clients equal the server after it was restored from a backup`(tier: Int) {
    for seed in TestEffort.seeds(50) {
      var simulation = Simulation(tier: tier, seed: seed)
      simulation.run(operations: 60, restoresBackup: true)
      #expect(simulation.problems == [], "tier \(tier), seed \(seed)")
    }
  }

  @Test func `The clocks of the clients do not change the outcome`() {
    for seed in TestEffort.seeds(50) {
      var (right, wrong) = (Simulation(tier: 4, seed: seed), Simulation(tier: 4, seed: seed, skew: 86_400_000))
      right.run(operations: 60)
      wrong.run(operations: 60)
      #expect(right.outcome == wrong.outcome, "seed \(seed)")
    }
  }
}

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

  @Test(arguments: Mutant.allCases)
  func `A known failure of synchronisation is found by the simulation`(mutant: Mutant) {
    for seed in UInt64(1)...200 {
      for tier in 0...4 {
        var simulation = Simulation(tier: tier, seed: seed, mutant: mutant)
        simulation.run(operations: 60, restoresBackup: mutant == .dropsOutboxAtReset)
        if !simulation.problems.isEmpty { return }
      }
    }
    Issue.record("No history of 1,000 shows the failure.")
  }
}

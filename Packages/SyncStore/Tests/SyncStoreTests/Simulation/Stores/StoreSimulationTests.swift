import StoreProtocolTesting
import Testing

@testable import SyncStore

@Suite struct `The simulation of synchronised stores` {
  typealias Choices = StoreSimulation.Choices

  @Test func `A history replays by its seed`() async throws {
    for seed in TestEffort.seeds(3) {
      var logs: [[String]] = []
      for _ in 0..<2 {
        let simulation = StoreSimulation(tier: 4, seed: seed)
        try await simulation.run(operations: 30)
        logs.append(simulation.service.current.log)
      }
      #expect(logs[0] == logs[1], "seed \(seed)")
    }
  }

  @Test func `The clocks of the clients change no request`() async throws {
    for seed in TestEffort.seeds(3) {
      var logs: [[String]] = []
      for skew in [0, 86_400_000] {
        let simulation = StoreSimulation(tier: 4, seed: seed, Choices(skew: skew))
        try await simulation.run(operations: 30)
        logs.append(simulation.service.current.log)
      }
      #expect(logs[0] == logs[1], "seed \(seed)")
    }
  }

  @Test func `A process that is killed before or after any of its commits goes on from a legal state`() async throws {
    let whole = StoreSimulation(tier: 4, seed: TestEffort.firstSeed, Choices(killedCommit: 0))
    try await whole.run(operations: 12)
    for commit in 1...whole.commits {
      let simulation = StoreSimulation(tier: 4, seed: TestEffort.firstSeed, Choices(killedCommit: commit))
      try await simulation.run(operations: 12)
      let problems = simulation.problems.sorted()
      #expect(problems == [], "commit \(commit)")
    }
  }

  #if DEBUG
    /// A history shows a failure if it breaks a promise only with the failure.
    @Test(arguments: PlantedFault.allCases)
    func `A known failure of synchronisation is found`(fault: PlantedFault) async throws {
      let choices: [Choices] = [
        Choices(),
        Choices(restoresBackup: fault == .dropsOutboxAtComparison, revokesAccess: fault == .neverComparesAgain),
      ]
      func problems(_ tier: Int, _ seed: UInt64, _ fault: PlantedFault?) async throws -> Set<String> {
        let simulation = StoreSimulation(tier: tier, seed: seed, choices[Int(seed % 2)])
        try await PlantedFault.$current.withValue(fault) { try await simulation.run(operations: 50) }
        return Set(simulation.problems)
      }
      for seed in UInt64(1)...1_000 {
        for tier in [4, 2] {
          if try await problems(tier, seed, fault).isEmpty { continue }
          if try await problems(tier, seed, nil).isEmpty { return }
        }
      }
      Issue.record("No history shows the failure.")
    }
  #endif
}

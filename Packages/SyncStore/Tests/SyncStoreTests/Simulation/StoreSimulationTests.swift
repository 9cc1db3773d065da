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

  @Test func `A process that is killed before or after any of its commits continues from a valid state`() async throws {
    let whole = StoreSimulation(tier: 4, seed: TestEffort.firstSeed, Choices(killedCommit: 0))
    try await whole.run(operations: 12)
    for commit in 1...whole.commits {
      let simulation = StoreSimulation(tier: 4, seed: TestEffort.firstSeed, Choices(killedCommit: commit))
      try await simulation.run(operations: 12)
      let problems = simulation.problems.sorted()
      #expect(problems == [], "commit \(commit)")
    }
  }
}

#if DEBUG
  import Testing

  @testable import SyncStore

  @Suite struct `A planted failure` {
    typealias Choices = StoreSimulation.Choices

    /// A history shows a failure if it breaks a promise only with the failure. The seed is printed.
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
          if try await problems(tier, seed, nil).isEmpty {
            print("Planted failure \(fault): found with seed \(seed), tier \(tier).")
            return
          }
        }
      }
      Issue.record("No history of the seeds 1 to 1000 shows \(fault).")
    }
  }
#endif

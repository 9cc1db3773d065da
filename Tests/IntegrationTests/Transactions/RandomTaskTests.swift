import ModelKit
import StoreProtocolTesting
import Testing

@MainActor
@Suite struct `Several tasks of one isolation` {
  @Test(arguments: TestEffort.seeds(30), [false, true])
  func `Models that several tasks change agree with the records and with each other`(
    seed: UInt64, hasUndo: Bool
  ) async throws {
    let engine = MemoryModelStore().handle
    let store = SuspendingStore(SuspendingEngine(engine, seed: seed))
    let world = TaskWorld(store, MemoryModelStore(engine), seed: seed, hasUndo: hasUndo)
    try await world.run(tasks: 3, actions: 12)
    let faults = try await world.faults()
    try #require(faults.isEmpty, "seed \(seed): \(faults)\n\(world.log.joined(separator: "\n"))")
  }
}

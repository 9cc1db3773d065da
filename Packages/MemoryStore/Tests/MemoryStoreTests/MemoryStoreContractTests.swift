import MemoryStore
import StoreProtocolTesting
import Testing

@Suite struct `A memory store` {
  @Test(arguments: ModelStoreContract.checks)
  func `keeps the contract`(check: ModelStoreContract.Check) async throws {
    try await check.run { MemoryModelStore() }
  }
}

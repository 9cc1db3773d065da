import Foundation
import StoreEngine
import StoreProtocolTesting
import Testing

@Suite struct `A store over an engine of sixty lines` {
  @Test(arguments: ModelStoreContract.checks)
  func `A store over an engine of sixty lines keeps the whole contract`(check: ModelStoreContract.Check) async throws {
    try await check.run { ShelfStore(ShelfEngine()) }
  }

  @Test(arguments: ModelStoreContract.sharedEngineChecks)
  func `A store over an engine of sixty lines keeps the promises about several store instances`(
    check: ModelStoreContract.SharedEngineCheck
  ) async throws {
    let engine = ShelfEngine()
    try await check.run { ShelfStore(engine) }
  }

  @Test(arguments: ModelStoreContract.liveChecks)
  func `A store over an engine of sixty lines keeps live results up to date`(
    check: ModelStoreContract.SharedEngineCheck
  )
    async throws
  {
    let engine = ShelfEngine()
    try await check.run { ShelfStore(engine) }
  }

  @Test(arguments: TestEffort.seeds(2))
  func `A store over an engine of sixty lines has one object for one identifier while several tasks write`(
    seed: UInt64
  ) async throws {
    let engine = ShelfEngine()
    try await ModelStoreContract.randomObservers(10, seed: seed * 1_000).run { ShelfStore(engine) }
  }

  @Test func `The documentation shows the source of the store over an engine of sixty lines`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let example = try String(contentsOf: folder.appending(path: "ShelfStore.swift"), encoding: .utf8)
    let article = folder.appending(path: "../../Sources/StoreProtocol/StoreProtocol.docc/WritingAStore.md")
    #expect(try String(contentsOf: article, encoding: .utf8).contains("```swift\n" + example + "```"))
    #expect(example.split(separator: "\n").count <= 60)
  }
}

import Foundation
import StoreProtocol
import StoreProtocolTesting
import Testing

@Suite struct `The store contract` {
  @Test(arguments: ModelStoreContract.checks(without: [.batches, .transactions, .exactIdentifiers]))
  func `A store of sixty lines keeps the store contract`(check: ModelStoreContract.Check) async throws {
    try await check.run { DictionaryStore() }
  }

  @Test(arguments: ModelStoreContract.checks(without: [.batches, .transactions, .exactIdentifiers]))
  func `The example of the documentation keeps the store contract`(check: ModelStoreContract.Check) async throws {
    try await check.run { NotebookStore() }
  }

  @Test func `The documentation shows the source of the example that keeps the store contract`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let example = try String(contentsOf: folder.appending(path: "NotebookStore.swift"), encoding: .utf8)
    let article = folder.appending(path: "../../Sources/StoreProtocol/StoreProtocol.docc/WritingAStore.md")
    #expect(try String(contentsOf: article, encoding: .utf8).contains("```swift\n" + example + "```"))
  }

  @Test(arguments: [
    (
      DictionaryStore.Fault.overwrites,
      "create of an identifier that is taken throws conflict and keeps the stored model"
    ),
    (.losesUpdates, "update stores the changed fields"),
    (.makesSecondObjects, "lookup returns the live object"),
    (.ignoresSorting, "list sorts by several criteria, and keeps the order of equals"),
    (.ignoresSorting, "random queries find what plain Swift finds"),
    (.skipsValidation, "create of an invalid model throws invalid, names the field and stores nothing"),
  ])
  func `The store contract detects a broken promise and names it`(fault: DictionaryStore.Fault, promise: String)
    async throws
  {
    let check = try #require(ModelStoreContract.checks.first { $0.name == promise })
    await #expect(throws: ContractViolation.self) { try await check.run { DictionaryStore(fault) } }
  }

  @Test func `The store contract has each promise once`() {
    let names = ModelStoreContract.checks.map(\.name)
    #expect(names.count == Set(names).count)
    #expect(names.count > 25)
  }

  @Test func `The store contract reports the error of the store with the promise`() async throws {
    struct Burned: Error {}
    final class BurningStore: ModelStore {
      let scope = ModelScope()
      func create<M: Model>(_ model: M) async throws -> M { throw Burned() }
      func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M { throw Burned() }
      func delete<M: Model>(_ model: M) async throws -> M { throw Burned() }
      func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M { throw Burned() }
      func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] { throw Burned() }
    }
    let check = try #require(ModelStoreContract.checks.first)
    let violation = await #expect(throws: ContractViolation.self) { try await check.run { BurningStore() } }
    #expect(violation?.description.contains(check.name) == true)
    #expect(violation?.description.contains("Burned") == true)
  }
}

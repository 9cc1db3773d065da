import Foundation
import MemoryStore
import RESTService
@_spi(ModelKitInternals) import StoreEngine
import Testing

/// An engine that gives new novels a rating, as the default of a column does.
private final class CompletingEngine: RecordEngine {
  let base = MemoryModelStore().handle

  var changeFeed: StoreChangeFeed { base.changeFeed }
  var conflictTrackers: ConflictTrackers { base.conflictTrackers }
  func snapshot(pinned: Bool) async throws -> MemoryEngine.Snapshot { base.snapshot(pinned: pinned) }
  func nextInteger(for type: String) async throws -> Int? { base.nextInteger(for: type) }
  func commit(_ batch: RecordBatch) async throws { _ = try await commitCompleting(batch) }

  func commitCompleting(_ batch: RecordBatch) async throws -> [RecordOperation] {
    var completed: [RecordOperation] = []
    let operations = try batch.operations.map { operation in
      guard operation.type == Novel.typeName, operation.operation == .create,
        var record = try JSONValue(json: Array(operation.value)).objectValue
      else { return operation }
      record["rating"] = 5
      var operation = operation
      operation.value = Array(try JSONValue.object(record).jsonData())[...]
      completed.append(operation)
      return operation
    }
    try base.commit(batch.with(operations, adding: []))
    return completed
  }
}

private final class CompletingStore: RecordStore<CompletingEngine>, TransactionalModelStore {}

private struct CompletingLibrary: ServedLibrary {
  let engine = CompletingEngine()
  let service: RESTService
  var store: CompletingStore { CompletingStore(engine) }

  init() { service = RESTService(engine, serving: [Owner.self, Novel.self]) }
}

@Suite struct `Records that a store completes` {
  @Test(arguments: [[:], ["Idempotency-Key": "k1"]] as [HTTPHeaderList])
  func `The response to a creation has the values and the entity tag of the stored record`(
    headers: HTTPHeaderList
  ) async throws {
    let library = CompletingLibrary()
    let created = try await library.request("POST", "/novels", ["title": "Emma"], headers: headers)
    #expect(created.status == 201)
    #expect(created.json?["rating"] == 5)
    #expect(created.response.headers["Location"] == "/novels/1")
    let tag = try #require(created.tag)
    #expect(try await library.request("GET", "/novels/1").tag == tag)
    if headers["Idempotency-Key"] != nil {
      let repeated = try await library.request("POST", "/novels", ["title": "Emma"], headers: headers)
      #expect(repeated.response == created.response)
    }
    let change = try await library.request("PATCH", "/novels/1", ["title": "Persuasion"], headers: ["If-Match": tag])
    #expect(change.status == 200)
  }
}

import Foundation
import MemoryStore
import RESTService
import StoreProtocolTesting
import Testing

// One check after the other: a URLSession can wait for a thousand connections at most, those of servers included.
@Suite(.serialized, .timeLimit(.minutes(30))) struct `A REST store over a server` {
  // A server cuts the links of records that reference a deleted one. A client learns that when it reads them.
  private static let isKnownLater = "delete nullifies the relations without an inverse of live models"

  // The random checks send thousands of requests. They run over the service in the same process.
  private static let checks = ModelStoreContract.checks(without: [.batches, .transactions])
    .filter { $0.name != isKnownLater && !$0.name.hasPrefix("random") }

  @Test(arguments: checks)
  func `A REST store keeps the contract over a server that gets whole queries`(
    check: ModelStoreContract.Check
  ) async throws {
    let options = RESTServiceOptions(
      maximumBodyBytes: 64 << 20, maximumQueryBytes: 1 << 20, maximumDepth: 512, acceptsMissingReferences: true,
      acceptsRegularExpressions: true)
    let service = RESTService(MemoryModelStore().handle, serving: ModelStoreContract.modelTypes, options: options)
    try await withServer(service) { url in
      // An empty list and none are two things, so a client sends null for none.
      let scope = ModelScope(transformers: ValueTransformerContext(explicitNull: true))
      let dialect = JSONDialect(paging: .offset(size: 100), sendsQueries: true)
      try await check.run { RESTModelStore(baseURL: url, dialect: dialect, scope: scope) }
    }
  }
}

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
  private static func checks(without missing: Set<ModelStoreContract.Capability>) -> [ModelStoreContract.Check] {
    ModelStoreContract.checks(without: missing).filter { !$0.name.hasPrefix("random") }
  }

  @Test(arguments: checks(without: [.batches, .transactions]).filter { $0.name != isKnownLater })
  func `A REST store keeps the contract over a server that gets whole queries`(
    check: ModelStoreContract.Check
  ) async throws {
    try await Self.run(check, JSONDialect(paging: .offset(size: 100), sendsQueries: true))
  }

  @Test(arguments: ServedDialect.all, checks(without: [.queries, .batches, .transactions]))
  func `A REST store keeps the contract over a server of its dialect`(
    served: ServedDialect, check: ModelStoreContract.Check
  ) async throws {
    try await Self.run(check, served.dialect)
  }

  /// A dialect that clients and servers have.
  struct ServedDialect: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let dialect: any RESTDialect & RESTServiceDialect

    static let all = [
      ServedDialect(testDescription: "JSON", dialect: JSONDialect(paging: .linked)),
      ServedDialect(
        testDescription: "enveloped",
        dialect: EnvelopedDialect("page.items", record: "item", next: "page.next", paging: .linked)),
      ServedDialect(testDescription: "Django", dialect: DjangoRESTDialect(paging: .linked)),
      ServedDialect(testDescription: "JSON:API", dialect: JSONAPIDialect()),
      ServedDialect(testDescription: "PostgREST", dialect: PostgRESTDialect(pageSize: 100)),
    ]
  }

  private static func run(
    _ check: ModelStoreContract.Check, _ dialect: any RESTDialect & RESTServiceDialect
  ) async throws {
    let options = RESTServiceOptions(
      maximumBodyBytes: 64 << 20, maximumQueryBytes: 1 << 20, maximumDepth: 512, acceptsMissingReferences: true,
      acceptsRegularExpressions: true)
    let service = RESTService(
      MemoryModelStore().handle, serving: ModelStoreContract.modelTypes, dialect: dialect, options: options)
    try await withServer(service) { url in
      // An empty list and none are two things, so a client sends null for none.
      let scope = ModelScope(transformers: ValueTransformerContext(explicitNull: true))
      try await check.run { RESTModelStore(baseURL: url, dialect: dialect, scope: scope) }
    }
  }
}

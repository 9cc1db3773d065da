import Foundation
import MemoryStore
import RESTService
import StoreProtocolTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct `A REST store over a service in the same process` {
  private static func store(_ dialect: any RESTDialect & RESTServiceDialect) throws -> RESTModelStore {
    let options = RESTServiceOptions(
      maximumBodyBytes: 64 << 20, maximumQueryBytes: 1 << 20, maximumDepth: 512, acceptsMissingReferences: true,
      acceptsRegularExpressions: true)
    let service = RESTService(
      MemoryModelStore().handle, serving: ModelStoreContract.modelTypes, dialect: dialect, options: options)
    // An empty list and none are two things, so a client sends null for none.
    let scope = ModelScope(transformers: ValueTransformerContext(explicitNull: true))
    return RESTModelStore(
      baseURL: try #require(URL(string: "http://service.test")), dialect: dialect, transport: service, scope: scope)
  }

  // A server cuts the links of records that reference a deleted one. A client learns that when it reads them.
  private static let isKnownLater = "delete nullifies the relations without an inverse of live models"

  @Test(arguments: ModelStoreContract.checks(without: [.batches, .transactions]).filter { $0.name != isKnownLater })
  func `A REST store keeps the contract over a service that gets whole queries`(
    check: ModelStoreContract.Check
  ) async throws {
    try await check.run { try Self.store(JSONDialect(paging: .offset(size: 100), sendsQueries: true)) }
  }

  @Test(arguments: ModelStoreContract.checks(without: [.queries, .batches, .transactions]))
  func `A REST store keeps the contract over a service whose pages are linked`(
    check: ModelStoreContract.Check
  ) async throws {
    try await check.run { try Self.store(JSONDialect(paging: .linked)) }
  }

  /// A dialect that clients and services have.
  struct CommonDialect: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let dialect: any RESTDialect & RESTServiceDialect

    static let all = [
      CommonDialect(
        testDescription: "enveloped",
        dialect: EnvelopedDialect("page.items", record: "item", next: "page.next", paging: .linked)),
      CommonDialect(testDescription: "Django", dialect: DjangoRESTDialect(paging: .linked)),
      CommonDialect(testDescription: "JSON:API", dialect: JSONAPIDialect()),
      CommonDialect(testDescription: "PostgREST", dialect: PostgRESTDialect(pageSize: 100)),
    ]
  }

  @Test(arguments: CommonDialect.all, ModelStoreContract.checks(without: [.queries, .batches, .transactions]))
  func `A REST store keeps the contract over a service of its dialect`(
    common: CommonDialect, check: ModelStoreContract.Check
  ) async throws {
    try await check.run { try Self.store(common.dialect) }
  }
}

import Foundation
@_spi(ModelKitInternals) import RESTStore
import Testing

private final class Invoice: Model {
  let id = Field<Int>()
  let number = Field<String>()
  let total = Field<Decimal>()
  let unitPrices = Field<[Decimal]>(key: "unitPrices")
  let customer = ModelField<Customer>()
  override var identifierField: AnyField? { id }
}

private final class Customer: Model {
  let id = Field<Int>()
  let credit = Field<Decimal>()
  override var identifierField: AnyField? { id }
}

private class Figure: Model {
  let id = Field<Int>()
  let kind = Field<String>()
  override var identifierField: AnyField? { id }
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["kind"] == "disc" ? Disc.self : nil
  }
}

private final class Disc: Figure {
  let radius = Field<Decimal>()
}

@Suite struct `A decimal of a Django server` {
  private let body = """
    {"id": 1, "number": "12.50", "total": "12345678901234567890.123456789012345678", "unitPrices": ["0.10", 0.2], \
    "customer": {"id": 2, "credit": "99.90"}}
    """

  @Test func `A decimal of a Django server is read exactly from a string, even in lists and related records`()
    async throws
  {
    let store = try RESTModelStore(StubTransport(status: 200, body), dialect: DjangoRESTDialect())
    let invoice = try await store.lookup(Invoice.self, identifier: "1")
    #expect(invoice.total.value == Decimal(string: "12345678901234567890.123456789012345678"))
    #expect(invoice.unitPrices.value == [Decimal(string: "0.10"), Decimal(string: "0.2")].compactMap { $0 })
    #expect(invoice.customer.value?.credit.value == Decimal(string: "99.9"))
    // A text that looks like a number is a text.
    #expect(invoice.number.value == "12.50")
    let list = try RESTModelStore(StubTransport(status: 200, "[\(body)]"), dialect: DjangoRESTDialect(paging: .linked))
    #expect(try await list.list(Invoice.self).first?.total.value == invoice.total.value)
  }

  @Test func `A decimal of a Django server is written as a string with all its digits`() async throws {
    let transport = StubTransport(status: 201, body)
    let store = try RESTModelStore(transport, dialect: DjangoRESTDialect())
    let invoice = Invoice()
    invoice.total.value = Decimal(string: "12345678901234567890.123456789012345678")
    try await store.create(invoice)
    let sent = try #require(transport.requests.first?.body)
    #expect(try JSONValue(json: sent)["total"] == "12345678901234567890.123456789012345678")
  }

  @Test func `A decimal of a derived class on a Django server is a string, too`() async throws {
    let record = #"{"id": 1, "kind": "disc", "radius": "12.50"}"#
    let transport = StubTransport([
      .success(HTTPResponseData(status: 200, body: Data("[\(record)]".utf8))),
      .success(HTTPResponseData(status: 200, body: Data(record.utf8))),
      .success(HTTPResponseData(status: 200, body: Data(record.utf8))),
    ])
    let store = try RESTModelStore(transport, dialect: DjangoRESTDialect(paging: .linked))
    let figure = try #require(try await store.list(Figure.self).first)
    let disc = try #require(figure as? Disc)
    #expect(disc.radius.value == Decimal(string: "12.50"))
    disc.radius.value = Decimal(string: "1.25")
    try await store.update(figure, fields: [disc.radius])
    #expect(transport.requests.last?.body == Data(#"{"radius":"1.25"}"#.utf8))
  }

  @Test(arguments: ["\"1,5\"", "\"NaN\"", "\"\"", "\"1.5 \""])
  func `A decimal of a Django server that is no number is an error`(text: String)
    async throws
  {
    let store = try RESTModelStore(
      StubTransport(status: 200, "{\"id\": 1, \"total\": \(text)}"), dialect: DjangoRESTDialect())
    #expect(try await storeError { _ = try await store.lookup(Invoice.self, identifier: "1") }.code == .server)
  }
}

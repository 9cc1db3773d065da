import Foundation
import MemoryStore
import RESTService
import Testing

/// A class with nested keys and embedded records.
final class Invoice: Model {
  @Field var id: Int?
  @Field(key: "meta.title") var title: String?
  @Field(key: "meta.note") var note: String?
  @Field(key: "meta.owner") var owner: String?
  @ModelField var address: Address?
  @ModelArrayField var lines: [Line]?
  override var identifierField: AnyField? { $id }
}

final class Address: Model {
  @Field var city: String?
}

final class Line: Model {
  @Field var text: String?
  @Field var cost: Int?
}

@Suite struct `Nested objects in requests` {
  private static func service(_ store: MemoryModelStore) async throws -> RESTService {
    let invoice = Invoice()
    (invoice.title, invoice.note, invoice.owner) = ("March", "paid", "ada")
    let (address, line) = (Address(), Line())
    (address.city, line.text) = ("Rome", "A")
    (invoice.address, invoice.lines) = (address, [line])
    try await store.create(invoice)
    return RESTService(store.handle, serving: [Invoice.self]) { access in
      access.allow(.all, Invoice.self)
      access.protect(\Invoice.$owner)
      access.hide(\Line.$cost)
    }
  }

  private static func request(_ service: RESTService, _ method: String, _ body: JSONValue) async throws -> Answer {
    let url = try #require(URL(string: "http://library.test/invoices/1"))
    let request = HTTPRequestData(HTTPRequestData.Method(method), url, body: try body.jsonData())
    return Answer(response: await service.respond(to: request))
  }

  private static func stored(_ store: MemoryModelStore) async throws -> Invoice {
    try await MemoryModelStore(store.handle).lookup(Invoice.self, identifier: "1")
  }

  @Test(arguments: [
    ("address.ctiy", #"{"address": {"ctiy": "Bonn"}}"#),
    ("lines[0].txet", #"{"lines": [{"txet": "A"}]}"#),
    ("meta.titel", #"{"meta": {"titel": "April"}}"#), ("meta", #"{"meta": null}"#),
    ("meta.owner", #"{"meta": {"owner": "eve"}}"#),
  ])
  func `A nested key that no request can write is refused with its path`(path: String, body: String) async throws {
    let store = MemoryModelStore()
    let answer = try await Self.request(try await Self.service(store), "PATCH", try JSONValue(json: body))
    #expect(answer.status == 422)
    #expect(answer.json?["errors"]?[path] != nil, "\(answer.json ?? .null)")
    let invoice = try await Self.stored(store)
    #expect(invoice.title == "March" && invoice.owner == "ada" && invoice.address?.city == "Rome")
  }

  @Test func `A field beside a protected one in the same object can be changed`() async throws {
    let store = MemoryModelStore()
    let answer = try await Self.request(try await Self.service(store), "PATCH", ["meta": ["title": "April"]])
    #expect(answer.status == 200)
    let invoice = try await Self.stored(store)
    #expect(invoice.title == "April" && invoice.note == "paid" && invoice.owner == "ada")
  }

  @Test(arguments: [#"{"meta": {"title": "April"}}"#, "{}"])
  func `A replaced record loses the fields that an object of the body lacks, except protected ones`(
    body: String
  ) async throws {
    let store = MemoryModelStore()
    let service = try await Self.service(store)
    let answer = try await Self.request(service, "PUT", try JSONValue(json: body))
    #expect(answer.status == 200, "\(answer.json ?? .null)")
    let invoice = try await Self.stored(store)
    #expect(invoice.title == (body == "{}" ? nil : "April"))
    #expect(invoice.note == nil && invoice.owner == "ada")
  }

  @Test(arguments: ["PATCH", "PUT"])
  func `A hidden value stays with its element when a list without identifiers gets, loses and moves others`(
    method: String
  ) async throws {
    let store = MemoryModelStore()
    let service = try await Self.service(store)
    let writer = MemoryModelStore(store.handle)
    let invoice = try await writer.lookup(Invoice.self, identifier: "1")
    invoice.lines = ["A", "B"].enumerated().map { index, text in
      let line = Line()
      (line.text, line.cost) = (text, index + 1)
      return line
    }
    try await writer.save(invoice)
    for (texts, costs) in [
      (["A", "B", "C"], [1, 2, nil]), (["C", "B", "A"], [nil, 2, 1]), (["B", "A"], [2, 1]), (["B", "D"], [2, 1]),
      (["D"], [1]),
    ] as [([String], [Int?])] {
      let lines = JSONValue.array(texts.map { ["text": .string($0)] })
      let answer = try await Self.request(service, method, ["lines": lines])
      #expect(answer.json?["lines"] == lines)
      #expect(try await Self.stored(store).lines?.map(\.cost) == costs, "\(texts)")
    }
  }
}

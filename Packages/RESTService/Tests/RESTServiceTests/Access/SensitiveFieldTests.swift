import MemoryStore
import RESTService
import Testing

private final class Citizen: Model {
  @Field var id: Int?
  @Field var name: String?
  @Field(sensitive: true) var taxNumber: String?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Sensitive fields` {
  private struct Registry: ServedLibrary {
    let store = MemoryModelStore()
    let service: RESTService

    init(shows: Bool = false) {
      service = RESTService(store.handle, serving: [Citizen.self]) { access in
        access.allow(.all, Citizen.self)
        if shows { access.show(\Citizen.$taxNumber) }
      }
    }

    func add() async throws -> Citizen {
      let citizen = Citizen()
      (citizen.name, citizen.taxNumber) = ("Ada", "A-4711")
      return try await store.create(citizen)
    }
  }

  private static let condition = "where=%7B%22field%22:%22taxNumber%22,%22is%22:%22hasPrefix%22,%22value%22:%22A%22%7D"

  @Test func `No response has a sensitive value, and no condition finds it`() async throws {
    let registry = Registry()
    _ = try await registry.add()
    let answers = [
      try await registry.request("GET", "/citizens/1"), try await registry.request("GET", "/citizens"),
      try await registry.request("PATCH", "/citizens/1", ["name": "Eve"]),
      try await registry.request("PATCH", "/citizens/1", ["name": "Eva"], headers: ["If-Match": "\"other\""]),
      try await registry.request("POST", "/citizens", ["id": 7, "taxNumber": "A-4711"]),
    ]
    #expect(answers.map(\.status) == [200, 200, 200, 412, 201])
    for answer in answers { #expect(!String(decoding: answer.response.body, as: UTF8.self).contains("A-4711")) }
    #expect(try await registry.request("GET", "/citizens?\(Self.condition)").status == 400)
    let sort = "sort=%5B%7B%22field%22:%22taxNumber%22%7D%5D"
    #expect(try await registry.request("GET", "/citizens?\(sort)").status == 400)
  }

  @Test func `A sensitive value is written, and kept by a client that does not know it`() async throws {
    let registry = Registry()
    let citizen = try await registry.add()
    #expect(try await registry.request("PUT", "/citizens/1", ["id": 1, "name": "Eve"]).status == 200)
    try await registry.store.refresh(citizen)
    #expect(citizen.name == "Eve" && citizen.taxNumber == "A-4711")
    #expect(try await registry.request("PATCH", "/citizens/1", ["taxNumber": "B"]).status == 200)
    try await registry.store.refresh(citizen)
    #expect(citizen.taxNumber == "B")
  }

  @Test func `A sensitive field that is shown is like any other`() async throws {
    let registry = Registry(shows: true)
    _ = try await registry.add()
    #expect(try await registry.request("GET", "/citizens/1").json?["taxNumber"] == "A-4711")
    #expect(try await registry.request("GET", "/citizens?\(Self.condition)").json?.arrayValue?.count == 1)
  }
}

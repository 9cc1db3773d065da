import MemoryStore
import RESTService
import Testing

final class Mate: Model {
  @Field var id: Int?
  let mates: ModelArrayField<Mate> = ModelField(foreignKey: true, inverse: \.mates)*
  override var identifierField: AnyField? { $id }
}

final class Band: Model {
  @Field var id: Int?
  @ModelArrayField(foreignKey: true, inverse: \.$bands) var members: [Member]?
  override var identifierField: AnyField? { $id }
}

final class Member: Model {
  @Field var id: Int?
  @ModelArrayField(foreignKey: true) var bands: [Band]?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Links that both records store` {
  private struct Music: ServedLibrary {
    let store = MemoryModelStore()
    let service: RESTService
    init() { service = RESTService(store.handle, serving: [Mate.self, Band.self, Member.self]) }
  }

  @Test(arguments: [("/mates", "mates", "/mates"), ("/members", "bands", "/bands"), ("/bands", "members", "/members")])
  func `A created record keeps its links to records that lack them`(path: String, key: String, other: String)
    async throws
  {
    let music = Music()
    #expect(try await music.request("POST", other, [:]).status == 201)
    let identifier: JSONValue = path == other ? 2 : 1
    for request in [("POST", path), ("PUT", path + "/7")] {
      let answer = try await music.request(request.0, request.1, .object([key: [1]]))
      #expect(answer.status == 201)
      #expect(answer.json?[key] == [1])
      let expected: JSONValue = request.0 == "PUT" ? 7 : identifier
      #expect(answer.json?["id"] == expected)
      let address = request.0 == "PUT" ? request.1 : "\(path)/\(identifier == 2 ? 2 : 1)"
      #expect(try await music.request("GET", address).json?[key] == [1])
    }
  }
}

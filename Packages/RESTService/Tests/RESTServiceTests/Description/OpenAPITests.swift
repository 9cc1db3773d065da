import Foundation
import RESTService
import Testing

@Suite struct `The OpenAPI document of a service` {
  @Test func `Each class has its paths and operations`() async throws {
    let library = Library()
    let answer = try await library.request("GET", "/openapi.json")
    #expect(answer.status == 200)
    let document = try #require(answer.json)
    #expect(document == library.service.openAPI)
    #expect(document["openapi"] == "3.1.0")
    let paths = document["paths"]?.objectValue ?? [:]
    #expect(Set(paths.keys) == ["/novels", "/novels/{identifier}", "/owners", "/owners/{identifier}"])
    #expect(Set(paths["/novels"]?.objectValue?.keys ?? [:].keys) == ["get", "post"])
    #expect(
      Set(paths["/novels/{identifier}"]?.objectValue?.keys ?? [:].keys) == [
        "get", "patch", "put", "delete", "parameters",
      ])
    #expect(try await library.request("POST", "/openapi.json", [:]).status == 405)
    #expect(try await library.request("GET", "/openapi.json?x=1").status == 400)
  }

  @Test func `Fields have their types and rules`() throws {
    let properties = try Self.schema("Novel", of: Library().service)["properties"]
    #expect(properties?["title"] == ["type": "string", "minLength": 1, "maxLength": 20])
    #expect(properties?["rating"] == ["type": ["integer", "null"], "minimum": 1, "maximum": 5])
    #expect(properties?["owner"] == ["type": ["integer", "null"]])
  }

  @Test func `All kinds of values and relations are described`() throws {
    let service = RESTService(serving: [Sheet.self, Note.self]) { _ in preconditionFailure("No request is sent.") }
    let sheet = try Self.schema("Sheet", of: service)
    let properties = sheet["properties"]
    #expect(sheet["required"] == ["code"])
    #expect(sheet["additionalProperties"] == false)
    let changes = try Self.schema("SheetChanges", of: service)
    #expect(changes["required"] == nil)
    #expect(changes["properties"] == properties)
    #expect(properties?["code"] == ["type": "string"])
    #expect(properties?["kind"] == ["type": ["string", "null"], "enum": ["plain", "ruled", nil]])
    #expect(properties?["size"] == ["type": ["string", "null"], "enum": ["A4", "A5", nil]])
    #expect(
      properties?["tags"] == ["type": ["array", "null"], "items": ["type": "string"], "minItems": 0, "maxItems": 3])
    #expect(properties?["weight"] == ["type": ["number", "null"], "minimum": 0, "exclusiveMaximum": 10])
    #expect(properties?["printed"] == ["type": ["string", "null"], "format": "date-time"])
    #expect(properties?["origin"]?["properties"]?["city"] == ["type": ["string", "null"]])
    #expect(properties?["notes"] == ["type": ["array", "null"], "items": ["type": "object"]])
    #expect(properties?["first"] == ["type": ["object", "null"]])
  }

  @Test func `Hidden fields and forbidden actions are omitted`() throws {
    let service = Library { access in
      access.allow(.read, Owner.self)
      access.hide(\Owner.$secret)
      access.allow([.read, .update], Novel.self)
      access.protect(\Novel.$rating)
    }.service
    let document = service.openAPI
    let owner = try Self.schema("Owner", of: service)
    #expect(owner["properties"]?["secret"] == nil)
    #expect(document["paths"]?["/owners"]?["post"] == nil)
    #expect(document["paths"]?["/owners/{identifier}"]?["delete"] == nil)
    #expect(document["paths"]?["/novels/{identifier}"]?["put"]?["responses"]?["201"] == nil)
    #expect(try Self.schema("Novel", of: service)["properties"]?["rating"]?["readOnly"] == true)
  }

  @Test func `Changes are described if the service has a change log`() throws {
    func names(_ service: RESTService) -> [String] {
      let parameters = service.openAPI["paths"]?["/novels"]?["get"]?["parameters"]?.arrayValue ?? []
      return parameters.compactMap { $0["name"]?.stringValue }
    }
    #expect(names(LoggedLibrary().service).contains("updated_since"))
    #expect(!names(Library().service).contains("updated_since"))
  }

  @Test func `The paths are below the base path`() {
    let service = Library(options: RESTServiceOptions(basePath: "/api/v1")).service
    #expect(service.openAPI["paths"]?["/api/v1/novels"] != nil)
  }

  private static func schema(_ name: String, of service: RESTService) throws -> JSONValue {
    try #require(service.openAPI["components"]?["schemas"]?[name])
  }
}

private enum Kind: String, CaseIterable {
  case plain, ruled
}

private final class Sheet: Model {
  @Field var id: Int?
  let code = Field<String>().require(.notNil)
  @Field var kind: Kind?
  @Field(.oneOf(["A4", "A5"])) var size: String?
  let tags = ArrayField(Field<String>()).require(.count(0...3))
  @Field(.range(0..<10)) var weight: Double?
  @Field var printed: Date?
  @Field(key: "origin.city") var city: String?
  @ModelArrayField var notes: [Note]?
  @ModelField var first: Note?
  override var identifierField: AnyField? { $id }
}

private final class Note: Model {
  @Field var id: Int?
  override var identifierField: AnyField? { $id }
}

public import RESTStore
import StoreProtocol

extension JSONAPIDialect: RESTServiceDialect {
  /// The media type of JSON:API.
  public var servedMediaType: String { Self.mediaType }

  /// Returns `fields` with the type of the resources: `fields[books]`.
  public func fieldsParameter(of form: RESTServedForm) -> String? { "fields[\(form.collection)]" }

  /// Returns the attributes, the identifier, and the identifiers of related resources as one record.
  public func servedRecord(in body: JSONValue, of form: RESTServedForm) throws -> JSONValue {
    guard case .object(let resource)? = body["data"], resource["type"] == .string(form.collection) else {
      throw ModelDecodingError(
        path: FieldPath(), expected: "a resource of the type \"\(form.collection)\"",
        found: body["data"]?["type"]?.description ?? body.typeDescription)
    }
    let known = ["type", "id", "attributes", "relationships", "links", "meta"]
    if let key = resource.keys.first(where: { !known.contains($0) }) {
      throw Self.unreadable(resource[key], expected: "no member \"\(key)\"")
    }
    var record = try Self.members(of: resource["attributes"])
    for (key, relationship) in try Self.members(of: resource["relationships"]) {
      guard let linkage = relationship["data"], let relation = form.relations[key] else {
        throw Self.unreadable(relationship, expected: "data of the relationship \"\(key)\"")
      }
      // A link that can't be read must not cut the relation.
      func identifier(_ link: JSONValue) throws -> JSONValue {
        guard link["type"] == .string(relation.collection), let identifier = link["id"]?.stringValue else {
          throw Self.unreadable(
            link, expected: "a link of \"\(key)\" with the type \"\(relation.collection)\" and an id")
        }
        return relation.identifier(identifier)
      }
      record[key] =
        try linkage.arrayValue.map { .array(try $0.map(identifier)) } ?? (linkage.isNull ? .null : identifier(linkage))
    }
    if let id = resource["id"], let key = form.identifierKey {
      guard let identifier = id.stringValue else { throw Self.unreadable(id, expected: "an id that is a string") }
      record[key] = form.identifier(identifier)
    }
    return .object(record)
  }

  /// Returns the members of an object; none if it is absent.
  private static func members(of json: JSONValue?) throws -> AttributeDictionary {
    guard let json else { return [:] }
    guard case .object(let members) = json else { throw unreadable(json, expected: "an object") }
    return members
  }

  private static func unreadable(_ json: JSONValue?, expected: String) -> ModelDecodingError {
    ModelDecodingError(path: FieldPath(), expected: expected, found: (json ?? .null).typeDescription)
  }

  /// Returns a document with the resource.
  public func servedBody(of record: AttributeDictionary, _ form: RESTServedForm) -> JSONValue {
    ["data": Self.resource(record, form)]
  }

  /// Returns a document with the resources, and with a link to the next page.
  public func servedBody(ofList records: [AttributeDictionary], next: String?, _ form: RESTServedForm) -> JSONValue {
    [
      "data": .array(records.map { Self.resource($0, form) }),
      "links": ["next": next.map { .string($0) } ?? .null],
    ]
  }

  private static func resource(_ record: AttributeDictionary, _ form: RESTServedForm) -> JSONValue {
    var (attributes, relationships): (AttributeDictionary, AttributeDictionary) = (record, [:])
    let identifier = form.identifierKey.flatMap { attributes.removeValue(forKey: $0) }
    for (key, relation) in form.relations {
      guard let value = attributes.removeValue(forKey: key) else { continue }
      func link(_ value: JSONValue) -> JSONValue {
        value.isNull
          ? .null
          : ["type": .string(relation.collection), "id": .string(ParameterEncoder(escapes: false).encode(value))]
      }
      relationships[key] = ["data": value.arrayValue.map { .array($0.map(link)) } ?? link(value)]
    }
    var resource: AttributeDictionary = [
      "type": .string(form.collection),
      "id": .string(identifier.map { ParameterEncoder(escapes: false).encode($0) } ?? ""),
      "attributes": .object(attributes),
    ]
    if !relationships.isEmpty { resource["relationships"] = .object(relationships) }
    return .object(resource)
  }
}

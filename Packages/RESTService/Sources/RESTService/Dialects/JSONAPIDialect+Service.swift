public import RESTStore
import StoreProtocol

extension JSONAPIDialect: RESTServiceDialect {
  /// The media type of JSON:API.
  public var servedMediaType: String { Self.mediaType }

  /// Returns the attributes, the identifier, and the identifiers of related resources as one record.
  public func servedRecord(in body: JSONValue, of form: RESTServedForm) throws -> JSONValue {
    guard case .object(let resource)? = body["data"], resource["type"] == .string(form.collection) else {
      throw ModelDecodingError(
        path: FieldPath(), expected: "a resource of the type \"\(form.collection)\"",
        found: body["data"]?["type"]?.description ?? body.typeDescription)
    }
    var record = resource["attributes"]?.objectValue ?? [:]
    for (key, relationship) in resource["relationships"]?.objectValue ?? [:] {
      guard let linkage = relationship["data"], let relation = form.relations[key] else {
        throw ModelDecodingError(
          path: FieldPath(), expected: "data of the relationship \"\(key)\"",
          found: relationship.typeDescription)
      }
      func identifier(_ link: JSONValue) -> JSONValue { link["id"]?.stringValue.map(relation.identifier) ?? .null }
      record[key] = linkage.arrayValue.map { .array($0.map(identifier)) } ?? identifier(linkage)
    }
    if let key = form.identifierKey, let identifier = resource["id"]?.stringValue {
      record[key] = form.identifier(identifier)
    }
    return .object(record)
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

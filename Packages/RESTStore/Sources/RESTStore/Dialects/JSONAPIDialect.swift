public import StoreProtocol

/// The dialect of JSON:API 1.1: resource objects with `type`, `id`, `attributes` and `relationships`.
///
/// ```swift
/// let store = RESTModelStore(baseURL: url, dialect: JSONAPIDialect())
/// ```
///
/// A resource is read as one record: its attributes, its `id` under the key of the identifier, and each relationship as the
/// identifiers it links to, or as the resources where the document includes them. What is written is an attribute unless its
/// key is among ``relationships``. Conditions, where the server has them, are equalities; orders are those of the standard.
public struct JSONAPIDialect: RESTDialect {
  /// The types of the resources that relationships lead to, by the key of the relationship.
  public var relationships: [String: String]
  /// Whether `filter[name]=Ada` asks for equality, as many servers have it. The standard leaves this open.
  public var filtersByEquality: Bool
  /// How lists come in pages. All servers link to the next page.
  public var paging: RESTPaging

  /// Creates the dialect.
  ///
  /// - Parameters:
  ///   - relationships: the types of the resources that relationships lead to, by key.
  ///   - filtersByEquality: whether `filter[name]=Ada` asks for equality.
  ///   - paging: how lists come in pages.
  public init(relationships: [String: String] = [:], filtersByEquality: Bool = false, paging: RESTPaging = .linked) {
    self.relationships = relationships
    self.filtersByEquality = filtersByEquality
    self.paging = paging
  }

  /// The media type.
  public static let mediaType = "application/vnd.api+json"

  /// The media type.
  public func defaultHeaders() async throws -> [String: String] { ["Accept": Self.mediaType] }

  /// JSON under the name of the media type.
  public func encoding(for method: HTTPRequestData.Method) -> RESTEncoding {
    RESTEncoding(contentType: Self.mediaType)
  }

  /// A resource object around the attributes and relationships.
  public func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue {
    guard case .object(var attributes) = payload else { return payload }
    var resource: AttributeDictionary = ["type": .string(operation.collectionName)]
    if let key = operation.identifierKey { attributes[key] = nil }
    if let identifier = operation.identifier { resource["id"] = .string(identifier) }
    var links: AttributeDictionary = [:]
    for (key, type) in relationships {
      guard let value = attributes.removeValue(forKey: key) else { continue }
      links[key] = ["data": Self.linkage(value, type: type)]
    }
    if !attributes.isEmpty { resource["attributes"] = .object(attributes) }
    if !links.isEmpty { resource["relationships"] = .object(links) }
    return ["data": .object(resource)]
  }

  private static func linkage(_ value: JSONValue, type: String) -> JSONValue {
    switch value {
    case .null: .null
    case .array(let elements): .array(elements.map { linkage($0, type: type) })
    default: ["type": .string(type), "id": .string(ParameterEncoder.text(value))]
    }
  }

  /// Takes resources out of a document, with what it includes put into its place.
  public func constructResponse(_ response: HTTPResponse) throws -> RESTResponse {
    var answer = try RESTResponse(response)
    guard answer.error == nil, let document = answer.payload else { return answer }
    if let errors = document["errors"]?.arrayValue, !errors.isEmpty {
      answer.error = ModelStoreError(status: response, details: FailureDetails(document, status: response.status))
    }
    var included: [JSONValue: JSONValue] = [:]
    for resource in document["included"]?.arrayValue ?? [] {
      if let type = resource["type"], let identifier = resource["id"] { included[[type, identifier]] = resource }
    }
    // A meta document has no data, which is not the same as data that is null.
    answer.payload = document["data"].map { Self.embedding(included, in: $0) }
    answer.next = RESTPageLink(document["links"]?["next"])
    return answer
  }

  private static func embedding(_ included: [JSONValue: JSONValue], in data: JSONValue) -> JSONValue {
    if included.isEmpty { return data }
    if case .array(let elements) = data { return .array(elements.map { embedding(included, in: $0) }) }
    var resource = data
    for key in (data["relationships"]?.objectValue ?? [:]).keys {
      guard let linkage = data["relationships"]?[key]?["data"] else { continue }
      func found(_ link: JSONValue) -> JSONValue { included[[link["type"] ?? .null, link["id"] ?? .null]] ?? link }
      let full: JSONValue = linkage.arrayValue.map { .array($0.map(found)) } ?? found(linkage)
      resource["relationships"]?[key]?["data"] = full
    }
    return resource
  }

  /// One record of a resource.
  public func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    guard case .object(let resource) = payload, let identifier = resource["id"]?.stringValue else {
      throw ModelDecodingError(path: FieldPath(), expected: "a resource with an id", found: payload.typeDescription)
    }
    var record = resource["attributes"]?.objectValue ?? [:]
    for (key, relationship) in resource["relationships"]?.objectValue ?? [:] {
      if let linkage = relationship["data"] { record[key] = Self.value(of: linkage, at: key, of: type) }
    }
    RESTIdentifier.write(identifier, of: type, to: &record)
    return record
  }

  /// What a relationship leads to: identifiers, or records of included resources.
  private static func value<M: Model>(of linkage: JSONValue, at key: String, of type: M.Type) -> JSONValue {
    switch linkage {
    case .array(let elements): return .array(elements.map { value(of: $0, at: key, of: type) })
    case .object(let resource):
      guard let identifier = resource["id"]?.stringValue else { return linkage }
      return RESTIdentifier.related(identifier, attributes: resource["attributes"]?.objectValue, at: key, of: type)
    default: return linkage
    }
  }

  /// Equalities as `filter[…]`, the order as `sort`.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    var translation = paging.translation(of: query)
    for term in query.terms {
      guard filtersByEquality, case .comparison(let comparison) = term, comparison.operator == .equal else {
        throw query.unsupported("the condition \(term)")
      }
      let (keys, value) = try query.plain(comparison)
      let item = RESTQueryItem("filter[\(keys.joined(separator: "."))]", ParameterEncoder.text(value))
      if value.isNull || translation.items.contains(where: { $0.name == item.name }) { throw query.unsupported(term) }
      translation.items.append(item)
    }
    let names = try query.orders.map { order in
      // The standard does not say where a resource without the value goes; what queries do by default is usual.
      guard order.term.form == .value, (order.nils == .last) == order.isDescending else {
        throw query.unsupported("the order by \(order)")
      }
      return (order.isDescending ? "-" : "") + (try query.keys(of: order.term.path).joined(separator: "."))
    }
    if !names.isEmpty { translation.items.append(RESTQueryItem("sort", names.joined(separator: ","))) }
    return translation
  }
}

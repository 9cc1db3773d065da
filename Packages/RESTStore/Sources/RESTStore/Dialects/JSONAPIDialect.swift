@_spi(ModelKitInternals) import ModelCore
public import StoreProtocol

/// The dialect of JSON:API 1.1: resource objects with `type`, `id`, `attributes` and `relationships`.
///
/// ```swift
/// let store = RESTModelStore(baseURL: url, dialect: JSONAPIDialect())
/// ```
///
/// A resource is read as one record: its attributes, its `id` under the key of the identifier, and its relationships. A
/// relationship is read as identifiers, or as resources where the document includes them.
///
/// A written value is an attribute unless its key is among ``relationships``. Conditions are those that the server is
/// declared to have; orders are those of the standard.
public struct JSONAPIDialect: RESTDialect {
  /// The types of the related resources, by the key of the relationship.
  public var relationships: [String: String]
  /// Whether `filter[name]=Ada` tests for equality, as on many servers. The standard leaves this open.
  public var filtersByEquality: Bool
  /// The names of other comparisons, such as `[.greater: "gt"]` where `filter[age.gt]=30` tests for more than 30.
  public var lookups: [QueryComparison.Operator: String]
  /// The paging of lists. All servers link to the next page.
  public var paging: RESTPaging
  /// The relationships whose resources are included in answers, such as `["publisher", "publisher.country"]`.
  public var included: [String]
  /// The included relationships of single types, which replace ``included``. The key is the last component of the
  /// collection's path, such as in `["books": ["publisher"], "people": []]`.
  public var includedByType: [String: [String]]
  /// The attributes and relationships to which answers are limited, by the type of the resource.
  public var fieldSets: [String: [String]]
  /// The key path of the total number of resources in the answer to a list, such as `"meta.page.total"`; nil if there
  /// is none.
  public var totalPath: String?

  /// Creates the dialect.
  ///
  /// - Parameters:
  ///   - relationships: the types of the related resources, by key.
  ///   - filtersByEquality: whether `filter[name]=Ada` tests for equality.
  ///   - lookups: the names of other comparisons that the server has.
  ///   - paging: the paging of lists.
  ///   - included: the relationships whose resources are included in answers.
  ///   - includedByType: the included relationships of single types, which replace `included`.
  ///   - fieldSets: the attributes and relationships to which answers are limited, by the type of the resource.
  ///   - totalPath: the key path of the number of all resources in a list.
  public init(
    relationships: [String: String] = [:], filtersByEquality: Bool = false,
    lookups: [QueryComparison.Operator: String] = [:], paging: RESTPaging = .linked,
    included: [String] = [], includedByType: [String: [String]] = [:], fieldSets: [String: [String]] = [:],
    totalPath: String? = nil
  ) {
    self.relationships = relationships
    self.filtersByEquality = filtersByEquality
    self.lookups = lookups
    self.paging = paging
    self.included = included
    self.includedByType = includedByType
    self.fieldSets = fieldSets
    self.totalPath = totalPath
  }

  /// Returns the path, with the included relationships and the limited fields as parameters.
  public func address(of operation: RESTOperation) throws -> RESTAddress {
    var address = RESTAddress(operation.path)
    if operation.kind == .delete { return address }
    let included = includedByType[operation.collectionName] ?? included
    if !included.isEmpty { address.query.append(RESTQueryItem("include", included.joined(separator: ","))) }
    for (type, names) in fieldSets.sorted(by: { $0.key < $1.key }) {
      address.query.append(RESTQueryItem("fields[\(type)]", names.joined(separator: ",")))
    }
    return address
  }

  /// The media type of JSON:API.
  public static let mediaType = "application/vnd.api+json"

  /// Sets the media type as `Accept`.
  public func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) async throws {
    request.headers["Accept"] = Self.mediaType
  }

  /// Returns the encoding as JSON under the media type.
  public func encoding(for method: HTTPRequestData.Method) -> RESTEncoding {
    RESTEncoding(contentType: Self.mediaType)
  }

  /// Returns a resource object around the attributes and relationships.
  public func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue {
    guard case .object(var attributes) = payload else { return payload }
    var resource: AttributeDictionary = ["type": .string(operation.collectionName)]
    if let key = operation.identifierKey { attributes[key] = nil }
    if let identifier = operation.identifier { resource["id"] = .string(identifier) }
    var links: AttributeDictionary = [:]
    for (key, type) in relationships {
      guard let value = attributes.removeValue(forKey: key) else { continue }
      links[key] = ["data": try Self.linkage(value, of: key, type: type)]
    }
    if !attributes.isEmpty { resource["attributes"] = .object(attributes) }
    if !links.isEmpty { resource["relationships"] = .object(links) }
    return ["data": .object(resource)]
  }

  /// - Throws: `ModelStoreError` with the code `invalid` for an embedded model without `id`.
  private static func linkage(_ value: JSONValue, of key: String, type: String) throws -> JSONValue {
    switch value {
    case .null: return .null
    case .array(let elements): return .array(try elements.map { try linkage($0, of: key, type: type) })
    case .object(let members) where members["id"] == nil:
      throw ModelStoreError(
        .invalid, "the relationship \"\(key)\" has a model without \"id\"; make it a foreign key")
    default: return ["type": .string(type), "id": .string(ParameterEncoder.text(value["id"] ?? value))]
    }
  }

  /// Extracts the resources of a document, with included resources in place of the links to them.
  public func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    var answer = try RESTResponse(response)
    guard answer.error == nil, let document = answer.payload else { return answer }
    if let errors = document["errors"]?.arrayValue, !errors.isEmpty {
      answer.error = ModelStoreError(status: response, details: FailureDetails(document, status: response.status))
    }
    var included: [ResourceName: JSONValue] = [:]
    for resource in document["included"]?.arrayValue ?? [] {
      if resource["type"] != nil, resource["id"] != nil { included[Self.name(of: resource)] = resource }
    }
    // A meta document has no data, which is not the same as data that is null.
    answer.payload = try document["data"].map { try Self.embedding(included, in: $0) }
    answer.next = RESTPageLink(document["links"]?["next"])
    // By the standard, a missing link is left out or null.
    let links = document["links"]?.objectValue ?? [:]
    answer.isLast = answer.next == nil && (links["next"] != nil || RESTPageLink.isLast(links.keys))
    answer.total = totalPath.flatMap { document[path: $0]?.intValue }
    return answer
  }

  /// Replaces links by the included resources to which they point. Primary data gets all of them. Deeper down each
  /// resource is embedded once, so that links between them make no more records than there are resources.
  ///
  /// The lists of an included resource are embedded once in the whole document. Otherwise a list of all resources that
  /// share it would be repeated as often as it is long.
  private static func embedding(_ included: [ResourceName: JSONValue], in data: JSONValue) throws -> JSONValue {
    if included.isEmpty { return data }
    var listed: Set<ResourceName> = []
    guard case .array(let elements) = data else { return try embedding(included, in: data, &listed) }
    return .array(try elements.map { try embedding(included, in: $0, &listed) })
  }

  private static func embedding(
    _ included: [ResourceName: JSONValue], in data: JSONValue, _ listed: inout Set<ResourceName>
  ) throws -> JSONValue {
    let links = (data["relationships"]?.objectValue ?? [:]).values
      .compactMap { $0["data"] }.flatMap { $0.arrayValue ?? [$0] }
    var seen = Set(links.map(name) + [name(of: data)])
    return try embedding(included, in: data, depth: 0, &seen, &listed)
  }

  /// The maximum depth of nested resources. The records made of them are deeper, and must not exceed the maximum depth
  /// of JSON.
  static let maximumDepth = JSONReadingOptions.maximumTreeDepth / 4

  private static func embedding(
    _ included: [ResourceName: JSONValue], in data: JSONValue, depth: Int, _ seen: inout Set<ResourceName>,
    _ listed: inout Set<ResourceName>
  ) throws -> JSONValue {
    guard depth <= maximumDepth, var relationships = data["relationships"]?.objectValue else {
      if depth <= maximumDepth { return data }
      throw ModelStoreError(
        .server,
        "the included resources are nested more than \(maximumDepth) levels deep; include fewer")
    }
    func found(_ link: JSONValue) throws -> JSONValue {
      guard let full = included[name(of: link)], depth == 0 || seen.insert(name(of: link)).inserted else { return link }
      return try embedding(included, in: full, depth: depth + 1, &seen, &listed)
    }
    let hasLists = depth == 0 || listed.insert(name(of: data)).inserted
    for (key, relationship) in relationships.sorted(by: { $0.key < $1.key }) {
      guard let linkage = relationship["data"] else { continue }
      if case .array(let links) = linkage {
        if hasLists { relationships[key]?["data"] = .array(try links.map(found)) } else { relationships[key] = nil }
      } else {
        relationships[key]?["data"] = try found(linkage)
      }
    }
    var resource = data
    resource["relationships"] = .object(relationships)
    return resource
  }

  /// Returns the key of a resource in a document: its type and identifier.
  private static func name(of resource: JSONValue) -> ResourceName {
    ResourceName(type: text(resource["type"]), identifier: text(resource["id"]))
  }

  private static func text(_ value: JSONValue?) -> ExactText? {
    value.map { ExactText($0.stringValue ?? ((try? $0.jsonString()) ?? "")) }
  }

  /// The type and identifier of a resource, compared byte by byte.
  private struct ResourceName: Hashable {
    let type: ExactText?
    let identifier: ExactText?
  }

  /// Returns attributes and relationships as one record, with the identifier under its key.
  public func deserialize<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    guard case .object(let resource) = payload, let identifier = resource["id"]?.stringValue else {
      throw ModelDecodingError(path: FieldPath(), expected: "a resource with an id", found: payload.typeDescription)
    }
    let model = type.sample(for: resource["attributes"]?.objectValue ?? [:])
    return RESTIdentifier.record(identifier, Self.members(of: resource, of: model), of: model)
  }

  private static func members(of resource: AttributeDictionary, of model: ModelObject) -> AttributeDictionary {
    var record = resource["attributes"]?.objectValue ?? [:]
    for (key, relationship) in resource["relationships"]?.objectValue ?? [:] {
      guard let linkage = relationship["data"] else { continue }
      let related = RESTIdentifier.relation(at: key, of: model)?.relatedClass
      record[key] = linkage.arrayValue.map { .array($0.map { value(of: $0, related) }) } ?? value(of: linkage, related)
    }
    return record
  }

  private static func value(of linkage: JSONValue, _ related: ModelObject.Type?) -> JSONValue {
    guard case .object(let resource) = linkage, let identifier = resource["id"]?.stringValue else { return linkage }
    guard let related = related?.sample(for: resource["attributes"]?.objectValue ?? [:]) else {
      return .string(identifier)
    }
    let isWhole = resource["attributes"] != nil || resource["relationships"] != nil
    if !isWhole { return RESTIdentifier.value(identifier, of: related) }
    return .object(RESTIdentifier.record(identifier, members(of: resource, of: related), of: related))
  }

  /// Returns `include`. The relationships that every answer includes are added to it.
  public func items(including relations: [[String]]) throws -> [RESTQueryItem]? {
    [RESTQueryItem("include", relations.map { $0.joined(separator: ".") }.joined(separator: ","))]
  }

  /// Translates comparisons to `filter[…]`, and the order to `sort`.
  public func translate(_ query: RESTQuery) throws -> RESTQueryTranslation {
    var translation = paging.translation(of: query)
    for term in query.terms {
      let item = try item(for: term, in: query)
      if translation.items.contains(where: { $0.name == item.name }) { throw query.unsupported(term) }
      translation.items.append(item)
    }
    let names = try query.orders.map { order in
      // The standard does not define the position of a resource without the value; the default of queries is usual.
      guard order.term.form == .value, (order.nils == .last) == order.isDescending else {
        throw query.unsupported("the order by \(order)")
      }
      return (order.isDescending ? "-" : "") + (try query.keys(of: order.term.path).joined(separator: "."))
    }
    if !names.isEmpty { translation.items.append(RESTQueryItem("sort", names.joined(separator: ","))) }
    return translation
  }

  private func item(for term: QueryExpression, in query: RESTQuery) throws -> RESTQueryItem {
    guard case .comparison(let comparison) = term else { throw query.unsupported("the condition \(term)") }
    let isPlain = comparison.operator == .equal && filtersByEquality
    let lookup = comparison.operator == .notEqual ? nil : lookups[comparison.operator].map { ".\($0)" }
    guard let suffix = isPlain ? "" : lookup else { throw query.unsupported("the condition \(term)") }
    let (keys, value) = try query.plain(comparison)
    let values = value.arrayValue ?? [value]
    let texts = values.map(ParameterEncoder.text)
    // Servers split lists at commas, and treat an empty text as no filter.
    let isInOnePiece = comparison.operator != .isIn || !texts.contains { $0.contains(",") }
    guard isInOnePiece, !texts.isEmpty, !texts.contains(""), !values.contains(.null) else {
      throw query.unsupported(term)
    }
    return RESTQueryItem("filter[\(keys.joined(separator: "."))\(suffix)]", texts.joined(separator: ","))
  }
}

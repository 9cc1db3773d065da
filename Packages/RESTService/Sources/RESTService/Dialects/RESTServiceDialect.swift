@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
public import RESTStore
@_spi(ModelKitInternals) import StoreProtocol

/// The form of the requests and responses of a service: a dialect of clients, in the opposite direction.
///
/// ```swift
/// let service = RESTService(
///   store.handle, serving: [Book.self], dialect: JSONAPIDialect())
/// ```
///
/// It applies to records and lists. Problems have the form of RFC 9457 in each dialect.
public protocol RESTServiceDialect: Sendable {
  /// The media type of records and lists.
  var servedMediaType: String { get }

  /// Changes the query of an address to the parameters of ``RESTService``: `where`, `sort`, `limit`, `offset` and
  /// `after`. Default: nothing is changed.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` for a parameter that is not served.
  func servedQuery(_ query: inout RESTServedQuery, of form: RESTServedForm) throws

  /// Returns the name of the parameter that limits the fields of the records in a response, such as `fields`. Default:
  /// nil, there is none.
  ///
  /// Its value is a list of keys with commas. A part in brackets, as in `fields[books]`, is the type of the records.
  func fieldsParameter(of form: RESTServedForm) -> String?

  /// Returns the record of a request.
  ///
  /// - Throws: `ModelDecodingError` for a body of another form.
  func servedRecord(in body: JSONValue, of form: RESTServedForm) throws -> JSONValue

  /// Returns the body of a response with one record.
  func servedBody(of record: AttributeDictionary, _ form: RESTServedForm) -> JSONValue

  /// Returns the body of a page of a list.
  ///
  /// - Parameters:
  ///   - records: the records of the page.
  ///   - next: the address of the next page, relative to that of this one; nil after the last page.
  ///   - form: the keys of the records.
  func servedBody(ofList records: [AttributeDictionary], next: String?, _ form: RESTServedForm) -> JSONValue
}

extension RESTServiceDialect {
  /// Changes nothing.
  public func servedQuery(_ query: inout RESTServedQuery, of form: RESTServedForm) throws {}

  /// Returns nil: responses have whole records.
  public func fieldsParameter(of form: RESTServedForm) -> String? { nil }
}

/// The query of an address.
public struct RESTServedQuery: Sendable {
  /// The parameters, decoded.
  public var items: [RESTQueryItem]
  /// The identifier of the record that the parameters name; nil if they name none.
  public var identifier: String?
  /// Whether the request is about one record, although its path may be that of the collection.
  public let isAboutRecord: Bool
}

/// The keys of the records of a class that a dialect treats separately.
public struct RESTServedForm: Sendable {
  /// A relation that records have as identifiers.
  public struct Relation: Sendable {
    /// The last component of the path of the related records.
    public let collection: String
    let identifier: @Sendable (String) -> JSONValue
  }

  /// A field that conditions can be about.
  public struct Field: Sendable {
    /// The name of the field in conditions.
    public let name: String
    /// Returns the value that a text stands for.
    public let value: @Sendable (String) -> JSONValue
  }

  /// The last component of the path of the collection.
  public let collection: String
  /// The fields by key, except relations.
  public let fields: [String: Field]
  /// The key of the identifier; nil if there is none.
  public let identifierKey: String?
  /// The relations that records have as identifiers, by key.
  public let relations: [String: Relation]
  let identifier: @Sendable (String) -> JSONValue
}

extension RESTServedForm {
  init<M: Model>(_ type: M.Type, _ router: RESTRouter, _ context: ValueTransformerContext) {
    let model = type.init()
    var (fields, relations): ([String: Field], [String: Relation]) = ([:], [:])
    for field in model.fieldsForDictionaryValue() {
      guard let name = field.key else { continue }
      let key = context.key(name)
      guard let relation = field as? any RelationField else {
        fields[key] = Field(name: name, value: Self.value(of: field))
        continue
      }
      guard relation.isForeignKey, let related = relation.relatedClass as? any Model.Type else { continue }
      let identifier = Self.identifier(of: related, context)
      relations[key] = Relation(collection: Self.collection(of: related, router), identifier: identifier)
    }
    self.init(
      collection: Self.collection(of: type, router), fields: fields,
      identifierKey: model.identifierField?.key.map { context.key($0) }, relations: relations,
      identifier: Self.identifier(of: type, context))
  }

  /// Returns a function that converts a text to a value of a field: to a number only if the field has numbers.
  private static func value(of field: AnyField) -> @Sendable (String) -> JSONValue {
    let isText = (field as? any SchemaField)?.valueSchema["type"].map { "\($0)".contains("string") } ?? true
    return { text in
      guard !isText, let value = try? JSONValue(json: text), value.objectValue == nil, value.arrayValue == nil else {
        return .string(text)
      }
      return value
    }
  }

  private static func collection<M: Model>(of type: M.Type, _ router: RESTRouter) -> String {
    router.collectionPath(for: type)?.split(separator: "/").last.map { String($0) } ?? M.typeName
  }

  /// Returns a function that converts an identifier from text to its form in records.
  private static func identifier<M: Model>(
    of type: M.Type, _ context: ValueTransformerContext
  ) -> @Sendable (String) -> JSONValue {
    { M.prototype().storedValue(ofIdentifier: $0, in: context)?.value ?? .string($0) }
  }
}

extension JSONDialect: RESTServiceDialect {
  /// JSON.
  public var servedMediaType: String { "application/json" }

  /// Returns `fields`.
  public func fieldsParameter(of form: RESTServedForm) -> String? { "fields" }

  /// Returns the body.
  public func servedRecord(in body: JSONValue, of form: RESTServedForm) throws -> JSONValue { body }

  /// Returns the record.
  public func servedBody(of record: AttributeDictionary, _ form: RESTServedForm) -> JSONValue { .object(record) }

  /// Returns an array of the records. The link to the next page is in the header `Link`.
  public func servedBody(ofList records: [AttributeDictionary], next: String?, _ form: RESTServedForm) -> JSONValue {
    .array(records.map { .object($0) })
  }
}

/// An operation that a store is about to send to a server, for hooks of a ``RESTDialect`` that depend on it.
///
/// ```swift
/// func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) {
///   request.timeout = operation.kind == .list ? .seconds(120) : .seconds(30)
/// }
/// ```
public struct RESTOperation: Sendable, Hashable {
  /// A call of a store.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A model is added.
    case create
    /// A model is changed.
    case update
    /// A model is removed.
    case delete
    /// One model is read.
    case lookup
    /// Models are found; each page is its own operation.
    case list
    /// Any other request: see ``RESTModelStore/request(_:_:parameters:body:headers:)``.
    case request
  }

  /// The call of the store.
  public var kind: Kind
  /// The name of the model's type in stores; empty for any other request.
  public var typeName: String
  /// The path of the collection below the base address, percent-encoded, such as `/people`. For requests outside of
  /// models it is the path of the request.
  public var collectionPath: String
  /// The path of the model, or of the collection for a list and for a create, percent-encoded.
  public var path: String
  /// The identifier of the model; nil for a list, and for a new model that has none.
  public var identifier: String?
  /// The key of the identifier as records spell it; nil for a model without identifier field.
  public var identifierKey: String?
  /// Whether a creation adds several models: its payload is a list, and so is its answer. Or whether a deletion removes
  /// several, whose identifiers are parameters.
  public var isBulk = false

  /// The last component of the collection's path, decoded, such as `people`. Many APIs use it as the name of the type.
  public var collectionName: String {
    let component = collectionPath.split(separator: "/").last.map(String.init) ?? ""
    return PathComponent.decoded(component)
  }

  /// Creates an operation, such as for a test of a dialect.
  ///
  /// - Parameters:
  ///   - kind: the call of the store.
  ///   - typeName: the name of the model's type in stores.
  ///   - collectionPath: the path of the collection, percent-encoded.
  ///   - path: the path of the model, percent-encoded; nil for that of the collection.
  ///   - identifier: the identifier of the model.
  ///   - identifierKey: the key of the identifier.
  public init(
    _ kind: Kind, typeName: String, collectionPath: String, path: String? = nil, identifier: String? = nil,
    identifierKey: String? = nil
  ) {
    self.kind = kind
    self.typeName = typeName
    self.collectionPath = collectionPath
    self.path = path ?? collectionPath
    self.identifier = identifier
    self.identifierKey = identifierKey
  }
}

/// The address of a request below the base address.
///
/// ```swift
/// RESTAddress(operation.collectionPath, query: [RESTQueryItem("id", "eq.7")])
/// ```
public struct RESTAddress: Sendable, Hashable {
  /// The path, percent-encoded, beginning with a slash.
  public var path: String
  /// The items after the question mark, in order.
  public var query: [RESTQueryItem]

  /// Creates an address.
  ///
  /// - Parameters:
  ///   - path: the path, percent-encoded, beginning with a slash.
  ///   - query: the items after the question mark.
  public init(_ path: String, query: [RESTQueryItem] = []) {
    self.path = path
    self.query = query
  }
}

/// One `name=value` of an address, as plain text: both are percent-encoded when they are sent.
///
/// ```swift
/// let item = RESTQueryItem("ordering", "-age")
/// ```
public struct RESTQueryItem: Sendable, Hashable, CustomStringConvertible {
  /// The name.
  public var name: String
  /// The value.
  public var value: String

  /// Creates an item.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// The item as it is sent.
  public var description: String { PathComponent.percentEncoded(name) + "=" + PathComponent.percentEncoded(value) }
}

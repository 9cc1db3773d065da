public import Foundation
@_spi(ModelKitInternals) public import StoreProtocol

/// A store of models on a server that is reached over HTTP.
///
/// ```swift
/// let store = RESTModelStore(baseURL: url)
/// let person = try await store.lookup(Person.self, identifier: "10")
/// // GET /people/10
/// person.name.value = "Ada"
/// try await store.save(person)
/// // PATCH /people/10 {"name": "Ada"}
/// ```
///
/// After an error the models are unchanged, except that the server's messages about rejected values are added to
/// `validationErrors`. A ``RESTRouter`` defines the paths of models, a ``RESTDialect`` the conventions of the API, and
/// ``RESTOptions`` authentication, retries and limits.
///
/// - Note: A store instance belongs to one isolation, and encodes and decodes there. For another isolation create one
///   with ``init(_:scope:)`` and the ``handle``.
public final class RESTModelStore: ModelStore {
  /// The type of the ``handle``.
  public typealias Handle = RESTEngine

  /// The identity map of this store instance.
  public let scope: ModelScope
  /// The engine that instances of this store share. It is `Sendable`.
  public let handle: RESTEngine

  /// The default policy of saves and updates.
  public var conflictPolicy = ConflictPolicy.merge

  let tags: EntityTags

  /// The saves of this instance: those of one model run one after the other.
  let saveTurns: Turns<ObjectIdentifier>

  /// The headers, parameters and limits of this instance.
  var additions = RESTAdditions()

  struct TypeNames {
    let typeName: String
    let identifierKey: String?
  }

  /// The names of classes and of their identifiers, by class.
  var typeNames: [ObjectIdentifier: TypeNames] = [:]

  /// Creates a store. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - baseURL: the address below which all paths are, such as `https://example.com/api/v2`. Its own path is kept.
  ///   - dialect: the dialect of the API.
  ///   - router: the paths of collections and models.
  ///   - transport: the transport of the requests.
  ///   - options: credentials, retries, limits, and a monitor.
  ///   - scope: the identity map of this store instance.
  public convenience init(
    baseURL: URL, dialect: any RESTDialect = JSONDialect(), router: RESTRouter = RESTRouter(),
    transport: any HTTPTransport = URLSessionTransport.shared, options: RESTOptions = RESTOptions(),
    scope: ModelScope = ModelScope()
  ) {
    self.init(
      RESTEngine(baseURL: baseURL, dialect: dialect, router: router, transport: transport, options: options),
      scope: scope)
  }

  /// Creates another instance of a store, such as for another actor.
  ///
  /// - Parameters:
  ///   - handle: the `handle` of another instance.
  ///   - scope: the identity map of this store instance.
  public convenience init(_ handle: RESTEngine, scope: ModelScope = ModelScope()) {
    self.init(handle, scope, EntityTags(), Turns())
  }

  init(
    _ handle: RESTEngine, _ scope: ModelScope, _ tags: EntityTags, _ saveTurns: Turns<ObjectIdentifier>
  ) {
    self.handle = handle
    self.scope = scope
    self.tags = tags
    self.saveTurns = saveTurns
  }

  /// Returns a store of another server with the same API, or of another tenant. It has the dialect, the transport, the
  /// options and the additions of this one.
  ///
  /// ```swift
  /// let staging = store.at(URL(string: "https://staging.example.com/api")!)
  /// ```
  ///
  /// An instance never changes its address, so no call continues at another server than the one where it began.
  ///
  /// - Parameters:
  ///   - baseURL: the address below which all paths are. The credentials of the options are sent there.
  ///   - router: the paths of collections and models; nil for those of this store.
  ///   - scope: the identity map of the store. The default is a new one, because models of several servers may have
  ///     equal identifiers.
  /// - Complexity: O(1).
  public func at(_ baseURL: URL, router: RESTRouter? = nil, scope: ModelScope = ModelScope()) -> RESTModelStore {
    let store = RESTModelStore(
      baseURL: baseURL, dialect: handle.dialect, router: router ?? handle.router, transport: handle.transport,
      options: handle.options, scope: scope)
    store.conflictPolicy = conflictPolicy
    store.additions = additions
    return store
  }
}

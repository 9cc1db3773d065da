public import Foundation
@_exported public import RESTStore
public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// A REST API over a store: it responds to the requests of a `RESTModelStore`, with the same model classes.
///
/// ```swift
/// let service = RESTService(
///   store.handle, serving: [Author.self, Book.self]
/// ) { access in
///   access.allow(.read, Author.self)
///   access.allow(.all, Book.self)
/// }
/// let answer = await service.respond(to: request, user: "jane")
/// ```
///
/// It does not depend on an HTTP server: an adapter of some twenty lines passes requests to it. A service is also a
/// transport, so a `RESTModelStore` in the same process can use it without a network.
///
/// Each request gets a new store instance.
public final class RESTService: Sendable {
  /// The limits of the service.
  public let options: RESTServiceOptions
  /// Whether the service has access rules. Without them every user may do everything.
  public let hasAccessRules: Bool
  let types: [ServedType]
  let dialect: any RESTServiceDialect
  /// The fields that requests can't write, and responses omit.
  let hidden: HiddenFields
  /// The fields that responses omit and conditions can't use: the hidden ones, and sensitive ones that are not shown.
  let unreadable: HiddenFields
  let protected: HiddenFields
  let context: ValueTransformerContext
  let open: @Sendable (ModelScope) -> any TransactionalModelStore
  /// The change log of the engine; nil if it has none.
  let log: (any ChangeLogging)?
  let admission: RequestAdmission
  private let looksUpImmediately: Bool
  /// The number of recorded responses.
  let recordCount = Lock(0)
  /// The clock of recorded responses and of request limits.
  let now: @Sendable () -> Date

  /// The number of attempts at a write that conflicts with other writers.
  private static let attempts = 4

  /// Creates a service over an engine.
  ///
  /// - Parameters:
  ///   - handle: the engine, such as `store.handle`. With a ``ChangeLogEngine`` clients can follow changes.
  ///   - types: the served classes. Other classes have no address.
  ///   - dialect: the dialect of the clients.
  ///   - router: defines the paths of the collections.
  ///   - transformers: the format of records, both in the store and in requests.
  ///   - options: the limits of the service.
  ///   - access: adds the access rules; nil if every user may do everything.
  public convenience init<Engine: RecordEngine>(
    _ handle: Engine, serving types: [any Model.Type], dialect: any RESTServiceDialect = JSONDialect(),
    router: RESTRouter = RESTRouter(maxPathDepth: 0), transformers: ValueTransformerContext = .standard,
    options: RESTServiceOptions = RESTServiceOptions(),
    access: ((inout RESTAccess) -> Void)? = nil
  ) {
    self.init(
      serving: types, dialect, router, transformers, options, access, now: { Date() },
      log: handle as? any ChangeLogging, looksUpImmediately: handle.readsImmediately
    ) { EngineServiceStore(handle, scope: $0) }
  }

  /// Creates a service over any store that has transactions.
  ///
  /// - Parameters:
  ///   - types: the served classes.
  ///   - dialect: the dialect of the clients.
  ///   - router: defines the paths of the collections.
  ///   - transformers: the format of records, both in the store and in requests.
  ///   - options: the limits of the service.
  ///   - access: adds the access rules; nil if every user may do everything.
  ///   - now: the clock, from which the age of kept responses and the minutes of request limits are measured.
  ///   - open: creates a store instance for one request, with the given scope.
  public convenience init(
    serving types: [any Model.Type], dialect: any RESTServiceDialect = JSONDialect(),
    router: RESTRouter = RESTRouter(maxPathDepth: 0), transformers: ValueTransformerContext = .standard,
    options: RESTServiceOptions = RESTServiceOptions(),
    access: ((inout RESTAccess) -> Void)? = nil, now: @escaping @Sendable () -> Date = { Date() },
    opening open: @escaping @Sendable (ModelScope) -> any TransactionalModelStore
  ) {
    self.init(
      serving: types, dialect, router, transformers, options, access, now: now, log: nil, looksUpImmediately: false,
      opening: open)
  }

  private init(
    serving types: [any Model.Type], _ dialect: any RESTServiceDialect, _ router: RESTRouter,
    _ transformers: ValueTransformerContext, _ options: RESTServiceOptions, _ access: ((inout RESTAccess) -> Void)?,
    now: @escaping @Sendable () -> Date, log: (any ChangeLogging)?, looksUpImmediately: Bool,
    opening open: @escaping @Sendable (ModelScope) -> any TransactionalModelStore
  ) {
    var rules = RESTAccess()
    access?(&rules)
    let table = rules.table
    let everything = [RESTAccess.Rule(actions: .all, condition: nil)]
    var context = transformers
    context.explicitNull = true
    self.context = context
    self.dialect = dialect
    self.types = types.map { type in
      let id = ObjectIdentifier(type)
      return ServedType(
        type: type, path: Self.path(of: type, router),
        rules: access == nil ? everything : table.rules[id] ?? [],
        protected: HiddenFields(table.protected).keys(of: type),
        form: RESTServedForm(type, router, context))
    }
    (hidden, protected) = (HiddenFields(table.hidden), HiddenFields(table.protected))
    unreadable = HiddenFields(table.hidden, sensitiveExcept: table.shown)
    hasAccessRules = access != nil
    self.options = options
    admission = RequestAdmission(options)
    self.open = open
    self.log = log
    self.looksUpImmediately = looksUpImmediately
    self.now = now
  }

  private static func path<M: Model>(of type: M.Type, _ router: RESTRouter) -> [String] {
    guard let path = router.collectionPath(for: type) else {
      preconditionFailure("\(type) can't be served: its route is not a path.")
    }
    return path.split(separator: "/").map { String($0).removingPercentEncoding ?? String($0) }
  }

  // MARK: Requests

  /// Responds to a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - user: the name of the user, as authenticated by the adapter; nil for an anonymous user.
  ///   - onFailure: receives the error behind a status from 500 on, which the response does not contain.
  /// - Returns: the response. The body of a failure is `application/problem+json` (RFC 9457).
  public func respond(
    to request: HTTPRequestData, user: String? = nil, onFailure: @Sendable (any Error) -> Void = { _ in }
  ) async -> HTTPResponseData {
    await respond(user, onFailure) {
      let call = try ServiceCall(RESTServiceRequest(http: request, user: user), self.options)
      // A lookup takes no time that depends on the number of records, unless the engine waits for another process.
      if self.looksUpImmediately, ["GET", "HEAD"].contains(call.method), let routed = try? self.route(call),
        !routed.rest.isEmpty
      {
        return try await self.answer(to: routed)
      }
      return try await self.inTime { try await self.answer(to: call) }
    }
  }

  /// Returns the response of a function, or the problem of its error, unless the user has too many requests.
  func respond(
    _ user: String?, _ onFailure: (any Error) -> Void, _ body: () async throws -> HTTPResponseData
  ) async -> HTTPResponseData {
    do {
      try admission.begin(user, at: now())
      defer { admission.end(user) }
      return try await body()
    } catch {
      let problem = ServiceProblem(error)
      if problem.status >= 500, !(error is ServiceProblem), !Self.isCancellation(error) { onFailure(error) }
      return problem.response
    }
  }

  static func isCancellation(_ error: any Error) -> Bool {
    error is CancellationError || (error as? ModelStoreError)?.code == .cancelled
  }

  /// Runs a function within the time limit.
  func inTime(_ body: @escaping @Sendable () async throws -> HTTPResponseData) async throws -> HTTPResponseData {
    guard let limit = options.timeLimit else { return try await body() }
    return try await withThrowingTaskGroup(of: HTTPResponseData?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try? await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      if let answer = try await group.next() ?? nil { return answer }
      group.cancelAll()
      do {
        // The request may have been completed nevertheless.
        if let answer = try await group.next() ?? nil { return answer }
      } catch is CancellationError {
      } catch let error as ModelStoreError where [.cancelled, .timeout].contains(error.code) {}
      throw ServiceProblem(503, "The request took too long, and was ended after \(limit). Nothing was written.")
    }
  }

  private func answer(to call: ServiceCall) async throws -> HTTPResponseData {
    // The document describes records of plain JSON.
    if call.path == ["openapi.json"], dialect is JSONDialect {
      switch call.method {
      case "GET": return try description(for: call)
      case "HEAD": return try description(for: call).withoutBody
      default: throw ServiceProblem.method(allowed: ["GET", "HEAD"])
      }
    }
    return try await answer(to: try route(call))
  }

  private func answer(to request: RoutedCall) async throws -> HTTPResponseData {
    switch request.rest.count {
    case 0: try await answerForCollection(request.served, request.call)
    case 1: try await answerForRecord(request.served, request.rest[0], request.call)
    default: throw ServiceProblem.noResource
    }
  }

  /// The class of an address, the components after the path of its collection, and the request.
  typealias RoutedCall = (served: ServedType, rest: [String], call: ServiceCall)

  /// Returns the class of an address. The request has the parameters of the service instead of those of the dialect.
  ///
  /// - Throws: ``ServiceProblem`` with the status 404, or the error of the dialect.
  func route(_ call: ServiceCall) throws -> RoutedCall {
    guard
      let served = types.filter({ call.path.starts(with: $0.path) }).max(by: { $0.path.count < $1.path.count })
    else { throw ServiceProblem.noResource }
    var (call, rest) = (call, Array(call.path.dropFirst(served.path.count)))
    let isAboutRecord = call.method != "GET" || (call.headers["Accept"] ?? "").contains("vnd.pgrst.object")
    var query = RESTServedQuery(
      items: call.items.map { RESTQueryItem($0.name, $0.value) }, identifier: nil, isAboutRecord: isAboutRecord)
    do {
      try dialect.servedQuery(&query, of: served.form)
    } catch let error as ModelStoreError where error.code == .unsupported { throw ServiceProblem(400, error.message) }
    call.items = query.items.map { ($0.name, $0.value) }
    try takeFields(of: &call, served)
    if let identifier = query.identifier {
      guard rest.isEmpty else {
        throw ServiceProblem(400, "Both the path and a filter name a record. Use one of them.")
      }
      rest = [identifier]
    }
    return (served, rest, call)
  }

  private func description(for call: ServiceCall) throws -> HTTPResponseData {
    try refuseItems(call)
    let body = try openAPI.jsonData(.init(sortedKeys: true))
    return HTTPResponseData(status: 200, headers: ["Content-Type": "application/json"], body: body)
  }

  private func answerForCollection(_ served: ServedType, _ call: ServiceCall) async throws -> HTTPResponseData {
    switch call.method {
    case "GET" where acceptsEvents(call):
      try refuseFields(call)
      return try await recentEvents(served.type, served, call)
    case "GET": return try await list(served.type, served, call)
    case "HEAD": return try await list(served.type, served, call).withoutBody
    case "POST":
      return try await write(served.type, served, call) {
        try await self.create(served.type, served, nil, call, $0)
      }
    case "OPTIONS": return .options(["GET", "HEAD", "POST"])
    default: throw ServiceProblem.method(allowed: ["GET", "HEAD", "POST"])
    }
  }

  private func answerForRecord(
    _ served: ServedType, _ identifier: String, _ call: ServiceCall
  ) async throws -> HTTPResponseData {
    switch call.method {
    case "GET": try await lookup(served.type, served, identifier, call)
    case "HEAD": try await lookup(served.type, served, identifier, call).withoutBody
    case "PATCH":
      try await write(served.type, served, call) {
        try await self.update(served.type, served, identifier, call, $0, replaces: false)
      }
    case "PUT":
      try await write(served.type, served, call) { try await self.put(served.type, served, identifier, call, $0) }
    case "DELETE":
      try await write(served.type, served, call) { try await self.delete(served.type, served, identifier, call, $0) }
    case "OPTIONS": .options(["GET", "HEAD", "PATCH", "PUT", "DELETE"])
    default: throw ServiceProblem.method(allowed: ["GET", "HEAD", "PATCH", "PUT", "DELETE"])
    }
  }

  /// Runs a write in a new store instance, and retries it in another one after a conflict with another writer.
  private func write<M: Model>(
    _ type: M.Type, _ served: ServedType, _ call: ServiceCall,
    _ body: (any TransactionalModelStore) async throws -> WrittenAnswer
  ) async throws -> HTTPResponseData {
    let request = try IdempotentRequest(call, options)
    var attempt = 1
    while true {
      do {
        let store = open(makeScope())
        guard let request else { return try await body(store)().http }
        return try await once(request, type, served, call, in: store, body)
      } catch let error as ModelStoreError where error.code == .conflict && attempt < Self.attempts {
        attempt += 1
      }
    }
  }

  /// Returns the served class of a class: itself, or the nearest superclass.
  func served(_ type: ModelObject.Type) -> ServedType? {
    var current: AnyClass? = type
    while let type = current {
      if let served = types.first(where: { $0.type == type }) { return served }
      current = _getSuperclass(type)
    }
    return nil
  }

  func makeScope() -> ModelScope { ModelScope(transformers: context) }
}

/// A service is a transport for a `RESTModelStore` in the same process, without a network.
extension RESTService: HTTPTransport {
  /// Responds to a request of an anonymous user.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse { await respond(to: request) }
}

extension RESTService: CustomStringConvertible {
  /// The paths of the collections: `RESTService(/authors, /books)`.
  public var description: String {
    let base = options.basePath.split(separator: "/").map(String.init)
    return "RESTService(\(types.map { "/" + (base + $0.path).joined(separator: "/") }.joined(separator: ", ")))"
  }
}

/// The store of one request.
private final class EngineServiceStore<Engine: RecordEngine>: RecordStore<Engine>, TransactionalModelStore {}

extension HTTPResponseData {
  fileprivate static func options(_ methods: [String]) -> HTTPResponseData {
    HTTPResponseData(status: 204, headers: ["Allow": methods.joined(separator: ", ")])
  }

  fileprivate var withoutBody: HTTPResponseData {
    var response = self
    response.body = Data()
    return response
  }
}

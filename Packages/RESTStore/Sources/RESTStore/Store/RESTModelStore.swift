public import Foundation
@_spi(ModelKitInternals) public import StoreProtocol

/// Models on a server that is reached over HTTP.
///
/// ```swift
/// let store = RESTModelStore(baseURL: url)
/// let person = try await store.lookup(Person.self, identifier: "10")  // GET /people/10
/// person.name.value = "Ada"
/// try await store.save(person)                                        // PATCH /people/10 {"name": "Ada"}
/// ```
///
/// Each call is one request, which is never repeated by itself. After an error the models are as they were. A
/// ``RESTRouter`` says where models are, and a ``RESTDialect`` how the API speaks.
///
/// - Note: A front lives in one isolation, and encodes and decodes there. Make another with ``init(_:scope:)`` and
///   ``handle`` elsewhere.
public final class RESTModelStore: ModelStore {
  /// The identity map of this front.
  public let scope: ModelScope
  /// What fronts of this store share. It is `Sendable`.
  public let handle: RESTEngine

  /// Creates a store. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - baseURL: the address below which all paths are, such as `https://example.com/api/v2`. Its own path is kept.
  ///   - dialect: how the API speaks.
  ///   - router: where collections and models are.
  ///   - transport: what carries the requests.
  ///   - scope: the identity map of this front.
  public convenience init(
    baseURL: URL, dialect: any RESTDialect = JSONDialect(), router: RESTRouter = RESTRouter(),
    transport: any HTTPTransport = URLSessionTransport.shared, scope: ModelScope = ModelScope()
  ) {
    self.init(RESTEngine(baseURL: baseURL, dialect: dialect, router: router, transport: transport), scope: scope)
  }

  /// Creates another front for a store, such as for another actor.
  ///
  /// - Parameters:
  ///   - handle: the `handle` of another front.
  ///   - scope: the identity map of this front.
  public init(_ handle: RESTEngine, scope: ModelScope = ModelScope()) {
    self.handle = handle
    self.scope = scope
  }

  // MARK: Writing

  /// Adds a model with a POST to its collection. What the server answers, such as the identifier it assigned, is read
  /// into the model.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` if a rule of the model or of the server is broken, `conflict` if
  ///   the server has such a model, or the code of what else went wrong.
  @discardableResult
  public func create<M: Model>(_ model: M) async throws -> M {
    let save = try PendingSave(creating: model, in: scope)
    let call = RESTCall(
      method: .post, path: try handle.router.pathOfCollection(containing: model, depth: handle.router.maxPathDepth),
      payload: try payload(save), typeName: save.typeName, identifier: save.identifier)
    try await handle.run(call) { answer in
      let record = try self.record(in: answer, of: type(of: model))
      let answered = try record.flatMap { try identifier(in: $0, of: type(of: model)) }
      guard answered != nil || save.identifier != nil || model.identifierField == nil else {
        throw ModelStoreError(.server, "the answer does not tell which identifier the new model has")
      }
      try save.finish(answer: record)
      tell(.created, save, answer: record)
    }
    return model
  }

  /// Writes changes of a model with a PATCH that has only the written fields.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed.
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, `invalid` if a rule of the model or of the
  ///   server is broken, or the code of what else went wrong.
  @discardableResult
  public func update<M: Model>(_ model: M, fields: [any FieldProtocol]?) async throws -> M {
    let save = try PendingSave(updating: model, fields: fields, in: scope)
    let call = RESTCall(
      method: .patch, path: try handle.router.pathOfInstance(model, depth: handle.router.maxPathDepth),
      payload: try payload(save), typeName: save.typeName, identifier: save.identifier)
    try await handle.run(call) { answer in
      let record = try self.record(in: answer, of: type(of: model))
      if let record { try check(identifier(in: record, of: type(of: model)), is: save.identifier) }
      try save.finish(answer: record)
      tell(.updated, save, answer: record)
    }
    return model
  }

  /// Removes a model with a DELETE, after one for each model that goes with it by the delete rules of its relations, those
  /// first that are furthest from it.
  ///
  /// The rules are about the models that are known here: what else the server has to do with it, it decides. Models that
  /// stay, and had a foreign key to one of those deleted, lead to nothing then; that is written when they are saved next.
  ///
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, `denied` if a rule denies it, or the code of what
  ///   else went wrong. What was deleted before is deleted.
  @discardableResult
  public func delete<M: Model>(_ model: M) async throws -> M {
    let deletion = try await PendingDeletion(of: model, in: self, completesRelations: false)
    let calls = try zip(deletion.records, deletion.storedModels).map { record, member in
      let path = try handle.router.pathOfInstance(member, depth: handle.router.maxPathDepth)
      return (
        record,
        RESTCall(
          method: .delete, path: path, typeName: record.typeName, identifier: record.identifier, ignoresPayload: true)
      )
    }
    for (record, call) in calls {
      do {
        try await handle.run(call) { _ in }
        tellDeletion(of: record)
      } catch let error as ModelStoreError where error.code == .notFound && !record.isRequested {
        continue
      }
    }
    try await deletion.finish(in: nil, updatesOthers: false)
    return model
  }

  // MARK: Reading

  /// Finds a model by its identifier with a GET.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`, or the code of what else went wrong.
  public func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    let call = RESTCall(
      method: .get, path: try handle.router.pathOfInstance(type, identifier: identifier), typeName: M.typeName,
      identifier: identifier)
    return try await handle.run(call) { answer in
      guard var record = try self.record(in: answer, of: type) else {
        throw ModelStoreError(.server, "the answer has no body, where the model was expected")
      }
      if handle.router.sharesCollection(type), !M.includes(record) {
        throw ModelStoreError(.notFound, "what is there is a \(M.storedClass(for: record).displayName)")
      }
      if let found = try self.identifier(in: record, of: type) {
        if M.prototype().storedValue(ofIdentifier: identifier, in: scope.transformers) != nil {
          try check(found, is: identifier)
        }
      } else {
        // The server need not repeat what the path says.
        M.prototype().storedValue(ofIdentifier: identifier, in: scope.transformers)?.write(to: &record)
      }
      return try scope.models(type, from: [record], keepsLocalChanges: !isRefreshing)[0]
    }
  }

  /// Finds models with a GET of their collection, in the order of the server. `limit` and `offset` go along as query
  /// items of these names.
  ///
  /// Conditions and sorting have no form that all servers understand. With `evaluation: .inMemory` the whole collection is
  /// fetched, and both are done here.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` for a condition or an order that has to be done in memory, or
  ///   that leads through foreign keys; or the code of what else went wrong. Nothing is changed then.
  public func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    try query.validate()
    try refuseUntranslated(query)
    // To some servers a limit of 0 means no limit.
    if query.limit == 0 { return [] }
    // In a collection of several classes only those of the server's page that fit could be shown, so all is fetched.
    let pagesHere = handle.router.sharesCollection(M.self) || !query.isPlain
    var call = RESTCall(method: .get, path: try handle.router.pathOfCollection(M.self), typeName: M.typeName)
    if !pagesHere {
      if let limit = query.limit { call.query.append(("limit", String(limit))) }
      if query.offset > 0 { call.query.append(("offset", String(query.offset))) }
    }
    return try await handle.run(call) { answer in
      var records = try self.records(in: answer, of: M.self)
      if !query.isPlain {
        records = try query.apply(to: records, in: scope.transformers)
      } else {
        if pagesHere { records = Array(records.filter(M.includes).dropFirst(query.offset)) }
        if let limit = query.limit { records = Array(records.prefix(limit)) }
      }
      do {
        return try scope.models(M.self, from: records, keepsLocalChanges: !isRefreshing)
      } catch {
        throw placed(error, in: records, of: M.self)
      }
    }
  }

  /// Never sends a part of a query without the rest.
  private func refuseUntranslated<M: Model>(_ query: ModelQuery<M>) throws {
    guard query.evaluation == .byStore, !query.isPlain else { return }
    let part = query.filter.map { "the condition \($0)" } ?? "the order by \(query.sort[0])"
    throw ModelStoreError(
      .unsupported,
      """
      Models of the type \(M.typeName) were not fetched: this store can't ask a server for \(part). With evaluation: \
      .inMemory it fetches the whole collection and looks for them here.
      """)
  }
}

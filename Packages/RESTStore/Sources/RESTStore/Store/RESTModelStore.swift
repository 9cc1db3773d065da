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
/// After an error the models are as they were, but for the messages of a server that refused values: those are among the
/// model's `validationErrors`. A ``RESTRouter`` says where models are, a ``RESTDialect`` how the API speaks,
/// and ``RESTOptions`` what is done beyond one request for one call.
///
/// - Note: A front lives in one isolation, and encodes and decodes there. Make another with ``init(_:scope:)`` and
///   ``handle`` elsewhere.
public final class RESTModelStore: ModelStore {
  /// The identity map of this front.
  public let scope: ModelScope
  /// What fronts of this store share. It is `Sendable`.
  public let handle: RESTEngine

  /// The decision of saves and updates that say nothing else.
  public var conflictPolicy = ConflictPolicy.merge

  let tags = EntityTags()

  struct TypeNames {
    let typeName: String
    let identifierKey: String?
  }

  /// By class.
  var typeNames: [ObjectIdentifier: TypeNames] = [:]

  /// Creates a store. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - baseURL: the address below which all paths are, such as `https://example.com/api/v2`. Its own path is kept.
  ///   - dialect: how the API speaks.
  ///   - router: where collections and models are.
  ///   - transport: what carries the requests.
  ///   - options: credentials, retries, limits, and who is told.
  ///   - scope: the identity map of this front.
  public convenience init(
    baseURL: URL, dialect: any RESTDialect = JSONDialect(), router: RESTRouter = RESTRouter(),
    transport: any HTTPTransport = URLSessionTransport.shared, options: RESTOptions = RESTOptions(),
    scope: ModelScope = ModelScope()
  ) {
    self.init(
      RESTEngine(baseURL: baseURL, dialect: dialect, router: router, transport: transport, options: options),
      scope: scope)
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

  /// Adds a model with a POST to its collection, or with a PUT at its own path where the dialect says so. What the server
  /// answers, such as the identifier it assigned, is read into the model, also in the place of a temporary one.
  ///
  /// A server may give a model another identifier than the one it was sent with. The model has that of the server then, as have
  /// those that refer to it here; compare the identifiers before and after where yours must stay.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` if a rule of the model or of the server is broken, `conflict` if
  ///   the server has such a model, or the code of what else went wrong.
  @discardableResult
  public func create<M: Model>(_ model: M) async throws -> M {
    let save = try await SaveOperation(creating: model, in: scope)
    let isTemporary = save.identifier.map(handle.dialect.isTemporary) ?? false
    let identifier = isTemporary ? nil : save.identifier
    let puts = handle.dialect.putsNewModels && identifier != nil
    let depth = handle.router.maxPathDepth
    let collection = try handle.router.pathOfCollection(containing: model, depth: depth)
    let path = puts ? try handle.router.pathOfInstance(model, depth: depth) : collection
    var call = try self.call(.create, model, collection: collection, path: path, identifier: identifier)
    if puts {
      // Put over one that is there, the model would replace it.
      call.headers["If-None-Match"] = "*"
    }
    call.payload = try payload(
      save.typeName, identifier, isTemporary ? withoutIdentifier(save) : save.record, type(of: model))
    // The server has the model before its answer is here.
    let creation = scope.creations.begin([model], [save.typeName])
    defer { scope.creations.end(creation) }
    do {
      try await handle.run(call) { answer, response in
        let record = try self.record(in: answer, of: type(of: model))
        let answered = try record.flatMap { try self.identifier(in: $0, of: type(of: model)) }
        guard answered != nil || identifier != nil || model.identifierField == nil else {
          throw ModelStoreError(.server, "the answer does not tell which identifier the new model has")
        }
        try save.finish(answer: record)
        tell(.created, save, answer: record)
        tags.set(tag(in: response), of: model)
      }
    } catch {
      throw placed(error, on: model)
    }
    return model
  }

  /// Writes changes of a model, as ``conflictPolicy`` says.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed. A PUT writes all fields in any case.
  /// - Throws: `ModelStoreError` as ``update(_:fields:onConflict:)`` does.
  @discardableResult
  public func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await update(model, fields: fields, onConflict: conflictPolicy)
  }

  /// Writes changes of a model with a PATCH that has only the written fields, or with a PUT of the whole record where the
  /// dialect says so.
  ///
  /// With `merge` the request has the entity tag of the version that was read last, if a strong one is known. If someone else
  /// changed the record since, a PATCH is sent once more with the tag of the version that the server has now, unless both
  /// changed the same field; a PUT fails. Without a tag the server decides, and mostly the last writer wins. `fail` requires
  /// a tag. `overwrite` sends none.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed. A PUT writes all fields in any case.
  ///   - policy: the decision where someone else changed the record since the model read it.
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, `invalid` if a rule of the model or of the
  ///   server is broken, `conflict` with both sides and a ``RESTConflict`` as its cause if somebody else changed the model,
  ///   `unsupported` if no strong entity tag is known for `fail`, or the code of what else went wrong.
  @discardableResult
  public func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M {
    let known = tags.changedTag(of: model)
    if policy == .fail, known == nil {
      throw ModelStoreError(
        .unsupported,
        """
        This \(model.storedTypeName.nameForMessage) was not written: no strong entity tag is known that tells whether someone \
        else changed it. Look the model up first, or save it without onConflict: .fail.
        """, identifier: model.storedIdentifier)
    }
    let isWhole = handle.dialect.method(for: .update) == .put
    let save = try await SaveOperation(updating: model, fields: isWhole ? model.storableFields : fields, in: scope)
    let depth = handle.router.maxPathDepth
    var call = try self.call(
      .update, model, collection: handle.router.pathOfCollection(containing: model, depth: depth),
      path: handle.router.pathOfInstance(model, depth: depth), identifier: save.identifier)
    call.payload = try payload(save.typeName, save.identifier, save.record, type(of: model))
    var onConflict: (() async -> RESTConflict?)?
    if let known, policy != .overwrite {
      call.headers["If-Match"] = known
      onConflict = { await self.serverVersion(of: type(of: model), call.operation) }
    }
    while true {
      do {
        try await handle.run(call, onConflict: onConflict) { answer, response in
          let record = try self.record(in: answer, of: type(of: model))
          if let record { try check(identifier(in: record, of: type(of: model)), is: save.identifier) }
          try save.finish(answer: record)
          tell(.updated, save, answer: record)
          // What others changed is not read yet if the server answers with nothing.
          let isRead = record != nil || call.headers["If-Match"] == known
          tags.set(isRead ? tag(in: response) : tags.tag(of: model), of: model)
        }
        return model
      } catch var error as ModelStoreError where error.cause is RESTConflict {
        guard let conflict = error.cause as? RESTConflict else { throw placed(error, on: model) }
        error.conflicts = save.conflicts(isWhole ? .fail : policy) { path in
          [path.dropFirst().reduce(conflict.record[path[0]]) { $0?[$1] }]
        }
        // Others changed other fields only: they are joined, unless somebody changes the record once more.
        guard policy == .merge, !isWhole, error.conflicts.isEmpty, !conflict.record.isEmpty,
          let next = conflict.entityTag, EntityTags.isStrong(next), next != call.headers["If-Match"]
        else { throw placed(error, on: model) }
        call.headers["If-Match"] = next
      } catch {
        throw placed(error, on: model)
      }
    }
  }

  /// Removes a model with a DELETE, after one for each model that goes with it by the delete rules of its relations, those
  /// first that are furthest from it.
  ///
  /// The rules are about the models that are known here: what else the server has to do with it, it decides. Models that
  /// stay, and had a foreign key to one of those deleted, lead to nothing then; that is written when they are saved next.
  ///
  /// The first of these requests has the entity tag of the version that was read last, if there is one, so that changes of
  /// somebody else don't go with it. The others have none: what was deleted before may have made another version of them.
  ///
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, `denied` if a rule denies it, `conflict` with a
  ///   ``RESTConflict`` as its cause if somebody else changed the model, or the code of what else went wrong. What was
  ///   deleted before is deleted.
  @discardableResult
  public func delete<M: Model>(_ model: M) async throws -> M {
    let deletion = try await PendingDeletion(of: model, in: self, completesRelations: false)
    let depth = handle.router.maxPathDepth
    let calls = try zip(deletion.records, deletion.storedModels).map { record, member in
      var call = try self.call(
        .delete, member, collection: handle.router.pathOfCollection(containing: member, depth: depth),
        path: handle.router.pathOfInstance(member, depth: depth), identifier: record.identifier)
      call.ignoresPayload = true
      return (record, member, call)
    }
    var isFirst = true
    for (record, member, plainCall) in calls {
      var call = plainCall
      var onConflict: (() async -> RESTConflict?)?
      if isFirst, let tag = tags.tag(of: member), EntityTags.isStrong(tag) {
        call.headers["If-Match"] = tag
        let (type, operation): (any Model.Type, RESTOperation) = (
          Swift.type(of: member) as? any Model.Type ?? M.self, call.operation
        )
        onConflict = { await self.serverVersion(of: type, operation) }
      }
      isFirst = false
      do {
        try await handle.run(call, onConflict: onConflict) { _, _ in tags.set(nil, of: member) }
        tellDeletion(of: record)
      } catch let error as ModelStoreError where error.code == .notFound && !record.isRequested {
        continue
      }
    }
    try await deletion.finish(updatesOthers: false)
    return model
  }

  // MARK: Reading

  /// Finds a model by its identifier with a GET. If the model is here already, with an entity tag, the server may say that
  /// nothing changed.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`, or the code of what else went wrong.
  public func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    let live = scope.liveModel(type, identifier: identifier)
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    var call = try lookupCall(type, identifier: identifier, live: live)
    if let live, let tag = unchangedTag(of: live) { call.headers["If-None-Match"] = tag }
    return try await handle.run(
      call,
      whenAnswered: { response in
        // It may be the answer to a creation that is not finished here.
        if live == nil, response.isSuccessful { try await scope.creations.settled(of: call.operation.typeName) }
      },
      raw: { response in
        if response.status == 304, call.headers["If-None-Match"] != nil { return live }
        if let newer = newerModel(type, identifier, than: start, response) { return newer }
        let model = plainModel(in: response, type, identifier)
        if let model { scope.pendingReads.noteRead(of: CollectionOfOne(model), since: start) }
        return model
      },
      { answer, response in
        let record = try self.record(answering: answer, identifier: identifier, of: type)
        let model = try scope.models(type, from: [record], keepsLocalChanges: !isRefreshing)[0]
        tags.setRead(tag(in: response), of: model)
        scope.pendingReads.noteRead(of: CollectionOfOne(model), since: start)
        return model
      })
  }

  /// Finds models with GETs of their collection, in the order of the server, page by page where it has pages.
  ///
  /// The dialect says what the query is to the server. What it can't say it refuses; with `evaluation: .inMemory` the whole
  /// collection is fetched, and condition and order are done here.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` for a condition or an order that has to be done in memory, or
  ///   that leads through foreign keys; or the code of what else went wrong. Nothing is changed then.
  public func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    let listing = try RESTListing(query, in: self)
    // To some servers a limit of 0 means no limit.
    if query.limit == 0 { return [] }
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    switch try await listing.found(readSince: start) {
    case .models(let models): return models
    case .records(let records):
      try await settleCreations(of: M.self, in: records)
      do {
        return try models(of: records, readSince: start)
      } catch {
        throw await handle.reported(placed(error, in: records, of: M.self), listing.firstCall)
      }
    }
  }

  /// How many models ``list(_:)`` would find: what the server says, or else by counting what it gives, page by page.
  public func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int {
    let listing = try RESTListing(query, in: self)
    return query.limit == 0 ? 0 : try await listing.count()
  }

  /// The identifiers of the models that ``list(_:)`` would find, in its order. No models are made.
  public func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    let listing = try RESTListing(query, in: self)
    if query.limit == 0 { return [] }
    return try await listing.records().compactMap { try identifier(in: $0, of: M.self) }
  }
}

import Foundation
@_spi(ModelKitInternals) public import StoreProtocol

extension RESTModelStore {
  /// Fetches a model by its identifier with a GET. If the model is live and has an entity tag, the server may answer
  /// that nothing changed.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`, or with that of any other failure.
  public func lookup<M: Model>(_ type: M.Type, identifier: String) async throws -> M {
    try await ModelStoreEvent.recording(.lookup, of: RESTModelStore.self, M.typeName) { event in
      event?.count = 1
      return try await lookup(type, identifier, embedding: [])
    }
  }

  /// - Parameter embedding: the parameters with which the answer contains related models.
  func lookup<M: Model>(_ type: M.Type, _ identifier: String, embedding: [RESTQueryItem]) async throws -> M {
    // The path keeps the spelling: some servers compare it letter by letter.
    let (given, identifier) = (identifier, spelled(identifier, of: type))
    let live = scope.liveModel(type, identifier: identifier)
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    var call = try lookupCall(type, identifier: given, live: live)
    call.embed(embedding)
    // Related models may have changed, although the model is the same.
    if embedding.isEmpty, let live, let tag = unchangedTag(of: live) { call.headers["If-None-Match"] = tag }
    var isOvertaken = false
    let model: M = try await handle.run(
      call,
      whenAnswered: { response in
        // The answer may be about a model whose creation is not finished here.
        if response.isSuccessful, scope.liveModel(type, identifier: identifier) == nil {
          try await scope.creations.waitForCreations(of: call.operation.typeName)
        }
        // A save has captured values that a refresh discards, but stores them all the same.
        if let live, isRefreshing { try await saveTurns.waitUntilFree(ObjectIdentifier(live)) }
      },
      raw: { response in
        if response.isSuccessful || response.status == 304,
          scope.liveModel(type, identifier: identifier)?.isUnloadedReference != false,
          scope.pendingReads.wasDeleted(M.typeName, identifier, since: start)
        {
          // Its record was deleted during the request. A lookup joins none that began before a write.
          throw ModelStoreError.notFound(M.typeName, identifier: identifier)
        }
        if response.status == 304, call.headers["If-None-Match"] != nil {
          return scope.liveModel(type, identifier: identifier) ?? live
        }
        let start = response.isJoined ? .unknown : start
        if let newer = newerModel(type, identifier, than: start, response) {
          isOvertaken = isRefreshing
          return newer
        }
        let model = plainModel(in: response, type, identifier, readSince: start)
        if let model { scope.pendingReads.noteRead(of: CollectionOfOne(model), at: start) }
        return model
      },
      { answer, response in
        let record = try self.record(answering: answer, identifier: identifier, of: type)
        let start = response.isJoined ? .unknown : start
        let model = try readingRecords(since: start) {
          try scope.models(type, from: [record], localChanges: $0)[0]
        }
        tags.setRead(tag(in: response), of: model)
        scope.pendingReads.noteRead(of: CollectionOfOne(model), at: start)
        return model
      })
    // A save or a read was faster than the answer. A refresh discards the edits that were made since.
    return isOvertaken ? try await lookup(type, given, embedding: embedding) : model
  }

  /// Fetches models with GETs of their collection, in the order of the server, page by page if it has pages.
  ///
  /// The dialect translates the query, and rejects a part that it can't translate. With `evaluation: .inMemory` the
  /// whole collection is fetched, and condition and order are evaluated in this process.
  ///
  /// - Throws: `ModelStoreError` with the code `unsupported` for a condition or an order that can only be evaluated in
  ///   memory, or that follows foreign keys. Any other failure has its own code. No model is changed then.
  public func list<M: Model>(_ query: ModelQuery<M>) async throws -> [M] {
    try await models(of: RESTListing(query, in: self), query)
  }

  func models<M: Model>(of listing: RESTListing<M>, _ query: ModelQuery<M>) async throws -> [M] {
    try await ModelStoreEvent.recording(.list, of: RESTModelStore.self, M.typeName, query: "\(query)") { event in
      let models = try await fetchedModels(of: listing, query)
      event?.count = models.count
      return models
    }
  }

  private func fetchedModels<M: Model>(of listing: RESTListing<M>, _ query: ModelQuery<M>) async throws -> [M] {
    // To some servers a limit of 0 means no limit.
    if query.limit == 0 { return [] }
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    switch try await listing.found(readSince: start) {
    case .models(let models): return models
    case .records(let records):
      try await waitForCreations(of: M.self, in: records)
      do {
        return try models(of: records, readSince: start)
      } catch {
        throw await handle.reported(placed(error, in: records, of: M.self), listing.firstCall)
      }
    }
  }

  /// Fetches models with GETs of any path, in the order of the server, page by page as ``list(_:)`` does.
  ///
  /// ```swift
  /// let people = try await store.list(
  ///   ModelQuery(Person.self, limit: 100), at: "/people/active")
  /// ```
  ///
  /// - Parameters:
  ///   - query: the query. Its condition, order and limit are sent as for a list of the collection.
  ///   - path: the path below the base address, percent-encoded and with a slash at its beginning. It has no query: use
  ///     ``with(headers:parameters:payload:timeout:cachePolicy:sendsCredentials:)`` for parameters.
  /// - Throws: `ModelStoreError` as ``list(_:)`` does, or with the code `invalid` for a path that can't be sent.
  public func list<M: Model>(_ query: ModelQuery<M>, at path: String) async throws -> [M] {
    _ = try anyCall(.get, path, [:])
    guard !path.contains("?") else {
      throw ModelStoreError(.invalid, "Nothing was sent: the path \(Self.shown(path)) has a query.")
    }
    return try await models(of: RESTListing(query, in: self, at: path), query)
  }

  /// Returns the number of models that ``list(_:)`` would find: the server's number, or else a count of its records,
  /// page by page.
  public func count<M: Model>(_ query: ModelQuery<M>) async throws -> Int {
    try await ModelStoreEvent.recording(.count, of: RESTModelStore.self, M.typeName, query: "\(query)") { event in
      let listing = try RESTListing(query, in: self)
      let count = query.limit == 0 ? 0 : try await listing.count()
      event?.count = count
      return count
    }
  }

  /// Returns the identifiers of the models that ``list(_:)`` would find, in its order. No models are created.
  public func identifiers<M: Model>(_ query: ModelQuery<M>) async throws -> [String] {
    try await ModelStoreEvent.recording(.identifiers, of: RESTModelStore.self, M.typeName, query: "\(query)") { event in
      let listing = try RESTListing(query, in: self)
      let records = query.limit == 0 ? [] : try await listing.records()
      event?.count = records.count
      return try records.compactMap { try identifier(in: $0, of: M.self) }
    }
  }

  /// Runs a query, and reports the number of models with the request of the first page.
  ///
  /// ```swift
  /// print(try await store.explain(ModelQuery(Person.self, limit: 10)))
  /// // all 10 records one after the other; read 10, tested 0, found 10;
  /// // GET /people?limit=10
  /// ```
  ///
  /// The request has the values of the condition, apart from those of sensitive fields, which are left out.
  ///
  /// - Throws: `ModelStoreError` as ``list(_:)`` does.
  public func explain<M: Model>(_ query: ModelQuery<M>) async throws -> QueryReport {
    let listing = try RESTListing(query, in: self)
    let records = query.limit == 0 ? [] : try await listing.records()
    var report = QueryReport(
      plan: .all(records.count), testedCount: 0, readCount: records.count, matchCount: records.count)
    report.statement = listing.shownRequest
    return report
  }
}

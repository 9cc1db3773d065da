import Foundation
@_spi(ModelKitInternals) import ModelCore
import RESTStore
import StoreProtocol

// Lookups and lists.
extension RESTService {
  /// The limits of the first and of the largest part of a list that is read for the records that a user may read.
  private static let (partSize, maximumPartSize) = (500, 8_000)

  func lookup<M: Model>(
    _ type: M.Type, _ served: ServedType, _ identifier: String, _ call: ServiceCall
  ) async throws -> HTTPResponseData {
    guard served.mayAllow(.read) else { throw refusal(call) }
    try refuseItems(call)
    let version = try await lookup(type, served, identifier, call, in: open(makeScope()))
    // The tag is that of the whole record, so that it is a precondition of a write.
    var response = HTTPResponseData(status: 200, headers: ["ETag": version.tag])
    if call.hasVersion(version.tag) {
      response.status = 304
    } else {
      response.headers["Content-Type"] = dialect.servedMediaType
      response.body =
        try call.fields.map {
          try dialect.servedBody(of: $0.reduced(version.record), served.form).jsonData(.init(sortedKeys: true))
        } ?? version.body
    }
    return response
  }

  private func lookup<M: Model, S: ModelStore>(
    _ type: M.Type, _ served: ServedType, _ identifier: String, _ call: ServiceCall, in store: S
  ) async throws -> RecordVersion {
    try version(of: try await readable(type, served, identifier, call, in: store), served)
  }

  /// Returns a model that the user may read.
  ///
  /// - Throws: `ModelStoreError` with the code `notFound`, even for a model that the user may not read.
  func readable<M: Model, S: ModelStore>(
    _ type: M.Type, _ served: ServedType, _ identifier: String, _ call: ServiceCall, in store: S
  ) async throws -> M {
    let model = try await store.lookup(type, identifier: identifier)
    guard served.allows(.read, model, call.request) else {
      throw ModelStoreError.notFound(M.typeName, identifier: identifier)
    }
    return model
  }

  func list<M: Model>(_ type: M.Type, _ served: ServedType, _ call: ServiceCall) async throws -> HTTPResponseData {
    guard served.mayAllow(.read) else { throw refusal(call) }
    if let position = call.items.first(where: { $0.name == Self.changesParameter })?.value {
      try refuseFields(call)
      return try await changes(type, served, position, call)
    }
    return try await list(ListParameters(call, type, self), served, call, in: open(makeScope()))
  }

  private func list<M: Model, S: ModelStore>(
    _ parameters: ListParameters<M>, _ served: ServedType, _ call: ServiceCall, in store: S
  ) async throws -> HTTPResponseData {
    let (models, next): ([M], ModelPageMark?)
    do {
      if served.allowsAll(.read) {
        var query = parameters.query
        query.offset = parameters.offset
        (models, next) = try await page(query, parameters.limit, after: parameters.mark, in: store)
      } else {
        (models, next) = try await readablePage(parameters, served, call, in: store)
      }
    } catch let error as ModelStoreError where error.code == .unsupported && parameters.isQuery {
      throw ServiceProblem(400, error.message)
    }
    let records = try models.map { model in
      let record = try record(of: model)
      return call.fields?.reduced(record) ?? record
    }
    var headers: HTTPHeaderList = [:]
    let link = try next.map { try parameters.link(after: $0) }
    if let link { headers["Link"] = "<\(link)>; rel=\"next\"" }
    let body = try dialect.servedBody(ofList: records, next: link, served.form).jsonData(.init(sortedKeys: true))
    // A page with the same records may have got a next one.
    let tag = RecordVersion.tag(of: body + Data((headers["Link"] ?? "").utf8))
    headers["ETag"] = tag
    if call.hasVersion(tag) { return HTTPResponseData(status: 304, headers: headers) }
    headers["Content-Type"] = dialect.servedMediaType
    return HTTPResponseData(status: 200, headers: headers, body: body)
  }

  /// Returns a page with as many models as the limit, if there are so many. A store may return less in a call.
  private func page<M: Model, S: ModelStore>(
    _ query: ModelQuery<M>, _ limit: Int, after mark: ModelPageMark?, in store: S
  ) async throws -> ([M], ModelPageMark?) {
    var (query, models, mark): (ModelQuery<M>, [M], ModelPageMark?) = (query, [], mark)
    while models.count < limit {
      query.limit = limit - models.count
      let part = try await store.page(query, after: mark)
      models += part.models
      mark = part.next
      if mark == nil { break }
    }
    return (models, models.isEmpty ? nil : mark)
  }

  /// Returns a page of the models that the user may read.
  ///
  /// A mark has the values of the record that it names, so the next page follows a returned one. There is a next page
  /// only if it has a record: its link would reveal hidden ones otherwise.
  private func readablePage<M: Model, S: ModelStore>(
    _ parameters: ListParameters<M>, _ served: ServedType, _ call: ServiceCall, in store: S
  ) async throws -> ([M], ModelPageMark?) {
    if parameters.limit == 0 { return ([], nil) }
    var query = parameters.query
    // Records that the user may not read don't count for the offset, so the store can't skip it.
    var skipped = parameters.mark == nil ? parameters.offset : 0
    var (models, start, size): ([M], ModelPageMark?, Int) = ([], parameters.mark, Self.partSize)
    // The part with the last returned record: the mark before it, and the number of records up to that one.
    var end: (start: ModelPageMark?, count: Int)?
    while true {
      query.limit = size
      let page = try await store.page(query, after: start)
      for (index, model) in page.models.enumerated() where served.allows(.read, model, call.request) {
        if skipped > 0 {
          skipped -= 1
          continue
        }
        guard models.count == parameters.limit, let last = models.last, let end else {
          models.append(model)
          end = (start, index + 1)
          continue
        }
        let (part, next) = try await self.page(query, end.count, after: end.start, in: store)
        if part.last?.identifier == last.identifier, served.allows(.read, last, call.request) { return (models, next) }
        // Another writer changed the list meanwhile.
        return try await readablePage(parameters, served, call, in: store)
      }
      guard let next = page.next else { return (models, nil) }
      start = next
      // A store may read a sorted list from its beginning for each part.
      size = min(size * 2, Self.maximumPartSize)
      try Task.checkCancellation()
    }
  }

  // MARK: Records

  /// Returns the record of a model without its hidden fields.
  func record(of model: ModelObject) throws -> AttributeDictionary {
    var record = try wholeRecord(of: model)
    unreadable.reduce(&record, of: model, context)
    return record
  }

  /// Returns the record of a model with its hidden fields.
  func wholeRecord(of model: ModelObject) throws -> AttributeDictionary {
    var record: AttributeDictionary = [:]
    let values = try model.storedValues(of: model.storableFields, in: context)
    for value in values { value.write(to: &record) }
    return record
  }

  func version(of model: ModelObject, _ served: ServedType) throws -> RecordVersion {
    try version(of: model, wholeRecord(of: model), served)
  }

  /// - Parameter record: a record of the model with its hidden fields.
  func version(of model: ModelObject, _ record: AttributeDictionary, _ served: ServedType) throws -> RecordVersion {
    var record = record
    unreadable.reduce(&record, of: model, context)
    return try RecordVersion(record, dialect.servedBody(of: record, served.form))
  }

  // MARK: Refusals

  /// Returns the problem of a request that no rule allows.
  func refusal(_ call: ServiceCall) -> ServiceProblem {
    call.request.user == nil
      ? ServiceProblem(401, "This requires an authenticated user.") : ServiceProblem(403, "This user may not do this.")
  }

  /// Rejects query parameters of a request that has none: they would be ignored silently.
  func refuseItems(_ call: ServiceCall) throws {
    guard let item = call.items.first else { return }
    throw ServiceProblem(400, "The parameter \"\(item.name.prefix(80))\" is not supported for this path.")
  }
}

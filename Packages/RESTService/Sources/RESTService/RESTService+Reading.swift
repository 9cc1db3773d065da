import Foundation
@_spi(ModelKitInternals) import ModelCore
import RESTStore
import StoreProtocol

// Lookups and lists.
extension RESTService {
  /// The largest number of records that a page reads for each record that it returns.
  private static let scannedPerRecord = 20

  func lookup<M: Model>(
    _ type: M.Type, _ served: ServedType, _ identifier: String, _ call: ServiceCall
  ) async throws -> HTTPResponseData {
    guard served.mayAllow(.read) else { throw refusal(call) }
    try refuseItems(call)
    let version = try await lookup(type, served, identifier, call, in: open(makeScope()))
    var response = HTTPResponseData(status: 200, headers: ["ETag": version.tag])
    if call.hasVersion(version.tag) {
      response.status = 304
    } else {
      response.headers["Content-Type"] = dialect.servedMediaType
      response.body = version.body
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
      return try await changes(type, served, position, call)
    }
    return try await list(ListParameters(call, type, self), served, call, in: open(makeScope()))
  }

  private func list<M: Model, S: ModelStore>(
    _ parameters: ListParameters<M>, _ served: ServedType, _ call: ServiceCall, in store: S
  ) async throws -> HTTPResponseData {
    var (query, mark) = (parameters.query, parameters.mark)
    let size = parameters.limit
    let filters = !served.allowsAll(.read)
    // Records that the user may not read don't count for the offset, so the store can't skip it.
    var skipped = filters && mark == nil ? parameters.offset : 0
    query.offset = filters ? 0 : parameters.offset
    var records: [AttributeDictionary] = []
    var scanned = 0
    var next: ModelPageMark?
    while records.count < size {
      query.limit = size - records.count
      let page = try await store.page(query, after: mark)
      for model in page.models {
        if filters {
          guard served.allows(.read, model, call.request) else { continue }
          if skipped > 0 {
            skipped -= 1
            continue
          }
        }
        records.append(try record(of: model))
      }
      scanned += page.models.count
      (mark, next) = (page.next, page.next)
      // The link continues with the rest, even if no record was found yet. An offset must be skipped within one
      // request.
      if next == nil || (skipped == 0 && scanned >= size * Self.scannedPerRecord) { break }
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

  // MARK: Records

  /// Returns the record of a model without its hidden fields.
  func record(of model: ModelObject) throws -> AttributeDictionary {
    var record: AttributeDictionary = [:]
    let values = try model.storedValues(of: model.storableFields, in: context)
    for value in values { value.write(to: &record) }
    hidden.reduce(&record, of: model, context)
    return record
  }

  func version(of model: ModelObject, _ served: ServedType) throws -> RecordVersion {
    let record = try record(of: model)
    return try RecordVersion(record, dialect.servedBody(of: record, served.form))
  }

  // MARK: Refusals

  /// Returns the problem of a request that no rule allows.
  func refusal(_ call: ServiceCall) -> ServiceProblem {
    call.request.user == nil
      ? ServiceProblem(401, "This needs a user who may do it.") : ServiceProblem(403, "This user may not do it.")
  }

  /// Rejects query parameters of a request that has none: they would be ignored silently.
  func refuseItems(_ call: ServiceCall) throws {
    guard let item = call.items.first else { return }
    throw ServiceProblem(400, "There is no parameter \"\(item.name.prefix(80))\" here.")
  }
}

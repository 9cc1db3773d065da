import Foundation
public import ModelCore
public import RESTStore
import StoreProtocol

// The numbers of records and the plans of queries, for a page about a store.
extension RESTService {
  /// Responds with the numbers of records that the user may read. The parameter `type` names one type, and `where` has
  /// a condition. Without a condition the response omits types of which the user can read only some records.
  ///
  /// - Parameters:
  ///   - names: the names of the types in the response.
  ///   - request: the request, whose path is not read.
  ///   - user: the name of the user; nil for an anonymous user.
  ///   - onFailure: receives the error behind a status from 500 on.
  @_spi(ModelKitInternals)
  public func counts(
    of names: [String: any Model.Type], for request: HTTPRequestData, user: String?,
    onFailure: @Sendable (any Error) -> Void = { _ in }
  ) async -> HTTPResponseData {
    await respond(user, onFailure) {
      let (named, call) = try self.inspected(names, request, user)
      let items = Set(call.items.map(\.name))
      guard items.isSubset(of: ["where"]) else {
        throw ServiceProblem(400, "Counts have the parameters type and where.")
      }
      guard items.isEmpty || named != nil else { throw ServiceProblem(400, "A condition needs the parameter type.") }
      return try await self.inTime {
        var counts: AttributeDictionary = [:]
        for (name, type) in names where named == nil || name == named {
          counts[name] = try await self.count(type, call).map { .int($0) }
        }
        return try Self.response(counts)
      }
    }
  }

  /// Responds with the report of the store on the query of a list: the parameter `type`, and those of a list. It is
  /// refused for types whose records the user may not all read, because it has the number of records.
  ///
  /// - Parameters:
  ///   - names: the names of the types in requests.
  ///   - request: the request, whose path is not read.
  ///   - user: the name of the user; nil for an anonymous user.
  ///   - onFailure: receives the error behind a status from 500 on.
  @_spi(ModelKitInternals)
  public func explanation(
    of names: [String: any Model.Type], for request: HTTPRequestData, user: String?,
    onFailure: @Sendable (any Error) -> Void = { _ in }
  ) async -> HTTPResponseData {
    await respond(user, onFailure) {
      let (named, call) = try self.inspected(names, request, user)
      guard let type = named.flatMap({ names[$0] }) else { throw ServiceProblem(400, "The parameter type is missing.") }
      return try await self.inTime {
        let report = try await self.explain(type, call)
        return try Self.response([
          "plan": .string("\(report.plan)"), "read": .int(report.readCount), "tested": .int(report.testedCount),
          "found": .int(report.matchCount), "statement": report.statement.map { .string($0) } ?? .null,
        ])
      }
    }
  }

  /// Returns whether every user may do something with all records of these types.
  @_spi(ModelKitInternals)
  public func allowsAll(_ actions: RESTAccess.Action, of names: some Collection<any Model.Type>) -> Bool {
    names.allSatisfy { type in types.first { $0.type == type }?.allowsAll(actions) == true }
  }

  /// Returns whether a member of the records of a type is hidden. A sensitive member is not: only its values are. Types
  /// that are not served have no visible members.
  @_spi(ModelKitInternals)
  public func isHidden(_ key: String, ofType name: String) -> Bool {
    types.first { $0.type.typeName == name }.map { hidden.keys(of: $0.type).contains(key) } ?? true
  }

  /// Returns the value of the parameter `type`, and the request without it.
  private func inspected(
    _ names: [String: any Model.Type], _ request: HTTPRequestData, _ user: String?
  ) throws -> (type: String?, call: ServiceCall) {
    var options = self.options
    options.basePath = ""
    var call = try ServiceCall(RESTServiceRequest(http: request, user: user), options)
    let items = call.items.filter { $0.name == "type" }
    call.items.removeAll { $0.name == "type" }
    guard items.count <= 1 else { throw ServiceProblem(400, "The parameter \"type\" occurs twice.") }
    if let name = items.first?.value, names[name] == nil {
      throw ServiceProblem(400, "There is no type \"\(name.prefix(80))\".")
    }
    return (items.first?.value, call)
  }

  private static func response(_ json: AttributeDictionary) throws -> HTTPResponseData {
    HTTPResponseData(
      status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: try JSONValue.object(json).jsonData(.init(sortedKeys: true)))
  }

  private func explain<M: Model>(_ type: M.Type, _ call: ServiceCall) async throws -> QueryReport {
    let parameters = try ListParameters(call, type, self)
    guard types.first(where: { $0.type == type })?.allowsAll(.read) == true else { throw refusal(call) }
    guard parameters.mark == nil else { throw ServiceProblem(400, "Only the first page of a list can be explained.") }
    var query = parameters.query
    (query.limit, query.offset) = (parameters.limit, parameters.offset)
    do {
      return try await open(makeScope()).explain(query)
    } catch let error as ModelStoreError where error.code == .unsupported { throw ServiceProblem(400, error.message) }
  }

  private func count<M: Model>(_ type: M.Type, _ call: ServiceCall) async throws -> Int? {
    let parameters = try ListParameters(call, type, self)
    return try await count(parameters, call, in: open(makeScope()))
  }

  /// - Returns: nil without a condition, if the user may not read all records.
  private func count<M: Model, S: ModelStore>(
    _ parameters: ListParameters<M>, _ call: ServiceCall, in store: S
  ) async throws -> Int? {
    let served = types.first { $0.type == M.self }
    do {
      if served?.allowsAll(.read) == true { return try await store.count(parameters.query) }
      if !parameters.isQuery { return nil }
      guard let served, served.mayAllow(.read) else { throw refusal(call) }
      var (query, mark, count): (ModelQuery<M>, ModelPageMark?, Int) = (parameters.query, nil, 0)
      query.limit = 1_000
      repeat {
        let page = try await store.page(query, after: mark)
        count += page.models.count { served.allows(.read, $0, call.request) }
        mark = page.next
        try Task.checkCancellation()
      } while mark != nil
      return count
    } catch let error as ModelStoreError where error.code == .unsupported && parameters.isQuery {
      throw ServiceProblem(400, error.message)
    }
  }
}

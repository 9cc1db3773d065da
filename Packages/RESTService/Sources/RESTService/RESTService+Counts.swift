import Foundation
public import ModelCore
public import RESTStore
import StoreProtocol

// The numbers of records, for a page about a store.
extension RESTService {
  /// Responds with the numbers of records: of all types, or with the parameter `type` of that one, and with `where` of
  /// those that a condition finds. A condition counts the records that the user may read; without one the number is
  /// that of all records, regardless of access rules.
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
      var options = self.options
      options.basePath = ""
      var call = try ServiceCall(RESTServiceRequest(http: request, user: user), options)
      let items = call.items.filter { $0.name == "type" }
      call.items.removeAll { $0.name == "type" }
      guard items.count <= 1, call.items.allSatisfy({ $0.name == "where" }) else {
        throw ServiceProblem(400, "Counts have the parameters type and where.")
      }
      let named = items.first?.value
      guard call.items.isEmpty || named != nil else {
        throw ServiceProblem(400, "A condition needs the parameter type.")
      }
      if let named, names[named] == nil { throw ServiceProblem(400, "There is no type \"\(named.prefix(80))\".") }
      return try await self.inTime { [call] in
        var counts: AttributeDictionary = [:]
        for (name, type) in names where named == nil || name == named {
          counts[name] = .int(try await self.count(type, call))
        }
        let body = try JSONValue.object(counts).jsonData(.init(sortedKeys: true))
        return HTTPResponseData(
          status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body)
      }
    }
  }

  private func count<M: Model>(_ type: M.Type, _ call: ServiceCall) async throws -> Int {
    let parameters = try ListParameters(call, type, self)
    return try await count(parameters, call, in: open(makeScope()))
  }

  private func count<M: Model, S: ModelStore>(
    _ parameters: ListParameters<M>, _ call: ServiceCall, in store: S
  ) async throws -> Int {
    let served = types.first { $0.type == M.self }
    do {
      if !parameters.isQuery || served?.allowsAll(.read) == true { return try await store.count(parameters.query) }
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

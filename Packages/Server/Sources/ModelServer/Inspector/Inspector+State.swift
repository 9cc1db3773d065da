import Foundation
import ModelCore
@_spi(ModelKitInternals) import RESTService
import RESTStore
import StoreProtocol

// The health and the synchronisation of a store, for users who may read all its records.
extension Inspector {
  /// Returns whether a request is an action whose body has to be read.
  func isAction(_ request: HTTPRequestData, at path: String) -> Bool {
    request.method == .post && path.hasPrefix(Self.path + "sync/")
  }

  /// Returns the response to a request for the state of the store, or for an action on it; nil for any other request.
  ///
  /// - Throws: ``ServerProblem``.
  func state(
    _ request: HTTPRequestData, at name: Substring, _ service: RESTService, _ onFailure: @Sendable (any Error) -> Void
  ) async throws -> HTTPResponseData? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let section = parts.first, sections.contains(String(section)) else { return nil }
    guard service.allowsAll(.read, of: types.values) else {
      throw ServerProblem(403, "Only users who may read all records see the state of the store.")
    }
    do {
      if section == "health", let check {
        return try await health(request, parts.dropFirst().first, check)
      }
      if let sync { return try await synchronization(request, parts.dropFirst().first, sync, service) }
      return nil
    } catch let error as ModelStoreError {
      onFailure(error)
      throw ServerProblem(500, "The store has no answer. The output of the server has the reason.")
    }
  }

  private func health(
    _ request: HTTPRequestData, _ action: Substring?, _ check: HealthCheck
  ) async throws -> HTTPResponseData {
    switch (action, request.method) {
    case (nil, .get):
      return try Self.response([
        "figures": .array(try await check.health.figures().map(\.json)), "check": check.json,
      ])
    case ("check", .post): check.start()
    case ("check", .delete): check.stop()
    case ("check", .get): break
    case ("check", _): throw Self.refusal("GET, HEAD, POST, DELETE")
    case (nil, _): throw Self.refusal("GET, HEAD")
    default: throw ServerProblem(404, "There is no resource at this address.")
    }
    return try Self.response(["check": check.json])
  }

  private func synchronization(
    _ request: HTTPRequestData, _ name: Substring?, _ sync: any SyncInspecting, _ service: RESTService
  ) async throws -> HTTPResponseData {
    if let name {
      guard request.method == .post else { throw Self.refusal("POST") }
      guard service.allowsAll(.write, of: types.values) else {
        throw ServerProblem(403, "Only users who may write all records can do this.")
      }
      guard let action = SyncAction(name, try? JSONValue(json: request.body ?? Data())) else {
        throw ServerProblem(400, "There is no such action, or its body lacks the members type and identifier.")
      }
      try await sync.perform(action)
    } else if request.method != .get {
      throw Self.refusal("GET, HEAD")
    }
    var state = try await sync.state { key, type in service.isHidden(key, ofType: type) }
    state["mayWrite"] = .bool(service.allowsAll(.write, of: types.values))
    return try Self.response(state)
  }

  private static func refusal(_ methods: String) -> ServerProblem {
    ServerProblem(405, "This address allows \(methods).", headers: ["Allow": methods])
  }

  private static func response(_ members: AttributeDictionary) throws -> HTTPResponseData {
    response(try JSONValue.object(members).jsonData(.init(sortedKeys: true)))
  }
}

extension StoreHealth.Figure {
  fileprivate var json: JSONValue {
    var object: AttributeDictionary = ["name": .string(name)]
    switch value {
    case .bytes(let count): object["bytes"] = .int(count)
    case .date(let date): object["date"] = .string(date.formatted(.iso8601))
    case .text(let text): object["text"] = .string(text)
    }
    return .object(object)
  }
}

import Foundation
import ModelKit

/// A server in this process that keeps collections of objects by their `id`, as simple APIs do.
actor CollectionServer: HTTPTransport {
  private var collections: [String: [AttributeDictionary]] = [:]

  func send(_ request: HTTPRequestData) async throws -> HTTPResponseData {
    let parts = request.url.pathComponents.filter { $0 != "/" }
    guard let name = parts.first else { return HTTPResponseData(status: 404) }
    let body = try request.body.map { try JSONValue(json: $0) }
    if parts.count == 1 { return try atCollection(name, request.method, body) }
    return try atModel(name, parts[1], request.method, body)
  }

  private func atCollection(
    _ name: String, _ method: HTTPRequestData.Method, _ body: JSONValue?
  ) throws -> HTTPResponseData {
    guard method == .post, case .object(var record)? = body else {
      return try answer(.array((collections[name] ?? []).map { .object($0) }))
    }
    if record["id"] == nil { record["id"] = .int((collections[name] ?? []).count + 1) }
    collections[name, default: []].append(record)
    return try answer(.object(record))
  }

  private func atModel(
    _ name: String, _ identifier: String, _ method: HTTPRequestData.Method, _ body: JSONValue?
  ) throws -> HTTPResponseData {
    guard let place = collections[name]?.firstIndex(where: { $0["id"].map { "\($0)" } == identifier }) else {
      return HTTPResponseData(status: 404)
    }
    if method == .delete {
      collections[name]?.remove(at: place)
      return HTTPResponseData(status: 204)
    }
    if method == .patch, case .object(let changes)? = body { collections[name]?[place].merge(changes) { $1 } }
    return try answer(.object(collections[name]?[place] ?? [:]))
  }

  private func answer(_ json: JSONValue) throws -> HTTPResponseData {
    HTTPResponseData(status: 200, body: try json.jsonData())
  }

  /// The names of the collections that something was sent to.
  var names: [String] { collections.keys.sorted() }
}

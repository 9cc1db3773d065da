import Foundation
public import ModelCore
public import RESTStore
public import StoreEngine
import StoreProtocol

/// A page in the browser on the types and records of a store. A ``ModelServer`` serves it below `/_inspect/`.
///
/// ```swift
/// let inspector = Inspector(store.handle, serving: [Author.self, Book.self])
/// let server = try ModelServer(service, inspector: inspector)
/// ```
///
/// The page reads and writes records with the requests of the service, under its access rules. The schema and the
/// numbers of records are shown regardless of access rules, to every user whom the server does not reject.
public struct Inspector: Sendable {
  /// The path below which the page and its data are served.
  static let path = "/_inspect/"

  private let schema: Data
  private let names: [String]
  private let count: @Sendable (_ name: String, _ filter: JSONValue?) async throws -> Int
  private let files: InspectorFiles

  /// Creates an inspector.
  ///
  /// - Parameters:
  ///   - handle: the engine, such as `store.handle`.
  ///   - types: the classes that the service serves.
  ///   - router: the router of the service.
  ///   - basePath: the base path of the service.
  public init<Engine: RecordEngine>(
    _ handle: Engine, serving types: [any Model.Type], router: RESTRouter = RESTRouter(maxPathDepth: 0),
    basePath: String = ""
  ) {
    let described = InspectedSchema(types, router, basePath)
    schema = (try? described.json.jsonData(.init(sortedKeys: true))) ?? Data()
    let byName = Dictionary(zip(described.names, types)) { first, _ in first }
    names = described.names
    count = { name, filter in
      guard let type = byName[name] else { throw ServerProblem(400, "There is no type \"\(name.prefix(80))\".") }
      return try await Self.count(type, filter, in: RecordStore(handle))
    }
    files = InspectorFiles()
  }

  private static func count<M: Model>(
    _ type: M.Type, _ filter: JSONValue?, in store: RecordStore<some RecordEngine>
  ) async throws -> Int {
    var json: AttributeDictionary = ["type": .string(M.typeName)]
    json["where"] = filter
    return try await store.count(try ModelQuery<M>(json: .object(json)))
  }

  // MARK: Responses

  /// Returns the file at a path, for users who are not yet known; nil if there is none.
  func file(_ request: HTTPRequestData, at path: String) -> HTTPResponseData? {
    guard request.method == .get else { return nil }
    if path == "/" || path == String(Self.path.dropLast()) {
      return HTTPResponseData(status: 302, headers: ["Location": Self.path])
    }
    guard path.hasPrefix(Self.path) else { return nil }
    return files.response(to: request, name: String(path.dropFirst(Self.path.count)))
  }

  /// Returns the data at a path; nil for a path outside of the inspector.
  ///
  /// - Throws: ``ServerProblem``.
  func data(_ request: HTTPRequestData, at path: String) async throws -> HTTPResponseData? {
    guard path.hasPrefix(Self.path) else { return nil }
    guard request.method == .get else {
      throw ServerProblem(405, "This address allows GET.", headers: ["Allow": "GET, HEAD"])
    }
    switch path.dropFirst(Self.path.count) {
    case "schema": return Self.response(schema)
    case "counts": return try await counts(request)
    default: throw ServerProblem(404, "There is no resource at this address.")
    }
  }

  private func counts(_ request: HTTPRequestData) async throws -> HTTPResponseData {
    var components = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
    let query = components?.percentEncodedQuery?.replacing("+", with: "%20")
    components?.percentEncodedQuery = query
    let items = components?.queryItems ?? []
    func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
    let named = value("type")
    var counts: AttributeDictionary = [:]
    do {
      let filter = try value("where").map { try JSONValue(json: $0) }
      guard filter == nil || named != nil else { throw ServerProblem(400, "A condition needs the parameter type.") }
      for name in named.map({ [$0] }) ?? names { counts[name] = .int(try await count(name, filter)) }
    } catch let problem as ServerProblem {
      throw problem
    } catch let error as ModelStoreError {
      throw ServerProblem(error.code == .invalid || error.code == .unsupported ? 400 : 503, error.message)
    } catch { throw ServerProblem(400, "The condition can't be read: \(error)") }
    return Self.response(try JSONValue.object(counts).jsonData(.init(sortedKeys: true)))
  }

  private static func response(_ body: Data) -> HTTPResponseData {
    HTTPResponseData(
      status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body)
  }
}

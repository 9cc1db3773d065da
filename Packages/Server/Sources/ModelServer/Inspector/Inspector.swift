import Foundation
public import ModelCore
@_spi(ModelKitInternals) import RESTService
public import RESTStore
public import StoreEngine
import StoreProtocol

/// A browser page for the types and records of a store. A ``ModelServer`` serves it below `/_inspect/`.
///
/// ```swift
/// let inspector = Inspector(serving: [Author.self, Book.self])
/// let server = try ModelServer(service, inspector: inspector)
/// ```
///
/// The page reads and writes records with the requests of the service, under its access rules. Every user whom the
/// server does not reject sees the schema. Numbers count only records that the user may read. The health and the
/// synchronisation of a store are shown if every user may read all records.
public struct Inspector: Sendable {
  /// The path below which the page and its data are served.
  static let path = "/_inspect/"

  let types: [String: any Model.Type]
  private(set) var check: HealthCheck?
  private(set) var sync: (any SyncInspecting)?
  private let schema: JSONValue
  private let files: InspectorFiles

  /// Creates an inspector.
  ///
  /// - Parameters:
  ///   - types: the classes that the service serves.
  ///   - router: the router of the service.
  ///   - basePath: the base path of the service.
  public init(
    serving types: [any Model.Type], router: RESTRouter = RESTRouter(maxPathDepth: 0), basePath: String = ""
  ) {
    let described = InspectedSchema(types, router, basePath)
    schema = described.json
    self.types = Dictionary(zip(described.names, types)) { first, _ in first }
    files = InspectorFiles()
  }

  /// Returns an inspector that also shows the health of the store.
  public func showing(_ health: StoreHealth) -> Inspector {
    var inspector = self
    inspector.check = HealthCheck(health)
    return inspector
  }

  /// Returns an inspector that also shows the synchronisation of the store.
  public func showing<Local: RecordEngine>(_ sync: InspectedSync<Local>) -> Inspector {
    var inspector = self
    inspector.sync = sync
    return inspector
  }

  /// The sections of the page beside the records.
  var sections: [String] { (check == nil ? [] : ["health"]) + (sync == nil ? [] : ["sync"]) }

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
  func data(
    _ request: HTTPRequestData, at path: String, _ service: RESTService, user: String?,
    _ onFailure: @Sendable (any Error) -> Void
  ) async throws -> HTTPResponseData? {
    guard path.hasPrefix(Self.path) else { return nil }
    if let state = try await state(request, at: path.dropFirst(Self.path.count), service, onFailure) { return state }
    guard request.method == .get else {
      throw ServerProblem(405, "This address allows GET.", headers: ["Allow": "GET, HEAD"])
    }
    switch path.dropFirst(Self.path.count) {
    case "schema":
      var members = schema.objectValue ?? [:]
      members["sections"] = .array(sections.map { .string($0) })
      return Self.response((try? JSONValue.object(members).jsonData(.init(sortedKeys: true))) ?? Data())
    case "counts": return await service.counts(of: types, for: request, user: user, onFailure: onFailure)
    case "explain": return await service.explanation(of: types, for: request, user: user, onFailure: onFailure)
    default: throw ServerProblem(404, "There is no resource at this address.")
    }
  }

  static func response(_ body: Data) -> HTTPResponseData {
    HTTPResponseData(
      status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body)
  }
}

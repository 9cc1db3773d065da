import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MemoryStore
import ModelServer
import RESTService

/// A play, with the fields of a play in `Scripts/support/people/server.py`.
final class Play: Model {
  @Field var id: Int?
  @Field var title: String?
  @Field var acts: Int?
  @Field var year: Int?
  @Field var playwright: Int?
  @Field var changed: Date?
  override var identifierField: AnyField? { $id }
}

/// The values of a play in a handler that is written by hand.
private struct PlayValues: Encodable {
  let id: Int
  let title: String
  let acts: Int
  let year: Int
  let changed: Date

  init(_ number: Int) {
    (id, title, acts, year) = (number, "The play number \(number)", number % 5 + 1, 1590 + number % 400)
    changed = Date(timeIntervalSince1970: 1_750_000_000 + Double(number))
  }
}

/// Serves the same responses three times: from a service, from handlers that have the bytes, and from handlers that
/// encode structs. `Scripts/server-benchmark` compares them.
@main struct ServerBenchmark {
  private static let count = 1_000
  private static let limit = 100

  static func main() async throws {
    var logger = Logger(label: "benchmark") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    let store = MemoryModelStore()
    try await fill(store)
    let service = RESTService(store.handle, serving: [Play.self])
    let server = try ModelServer(service, logger: logger)
    let responses = try await responses(of: service)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run { printLine("service \($0)") } }
      group.addTask { [logger] in try await bareServer(responses, logger).runService() }
      try await group.next()
      group.cancelAll()
    }
  }

  private static func fill(_ store: MemoryModelStore) async throws {
    try await store.transaction { store in
      for number in 1...count {
        let (play, values) = (Play(), PlayValues(number))
        (play.title, play.acts, play.year, play.changed) = (values.title, values.acts, values.year, values.changed)
        try await store.create(play)
      }
    }
  }

  /// Returns the responses that are compared, by path and query.
  private static func responses(of service: RESTService) async throws -> [String: HTTPResponseData] {
    var responses: [String: HTTPResponseData] = [:]
    for path in ["/plays?limit=\(limit)"] + (1...count).map({ "/plays/\($0)" }) {
      guard let url = URL(string: "http://localhost\(path)") else { continue }
      responses[path] = await service.respond(to: HTTPRequestData(.get, url))
    }
    return responses
  }

  /// Returns a server whose handlers only find the bytes of a response.
  private static func bareServer(
    _ responses: [String: HTTPResponseData], _ logger: Logger
  ) -> some ApplicationProtocol {
    let bare = responses.mapValues { response in
      var fields = HTTPFields()
      for entry in response.headers.entries {
        if let name = HTTPField.Name(entry.name) { fields.append(HTTPField(name: name, value: entry.value)) }
      }
      // The server adds these two.
      if let name = HTTPField.Name("X-Content-Type-Options") { fields[name] = "nosniff" }
      if let name = HTTPField.Name("X-Request-Id") { fields[name] = "0123456789abcdef0123456789abcdef" }
      return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
    }
    let router = Router()
    router.get("plays") { request, _ in
      guard let response = bare["/plays?\(request.uri.query ?? "")"] else { throw HTTPError(.notFound) }
      return response
    }
    router.get("plays/:id") { _, context in
      guard let response = bare["/plays/\(try context.parameters.require("id"))"] else { throw HTTPError(.notFound) }
      return response
    }
    addEncodingHandlers(to: router)
    return Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: {
        let address = "http://127.0.0.1:\($0.localAddress?.port ?? 0)"
        printLine("bare \(address)\nencoding \(address)/encoding")
      }, logger: logger)
  }

  /// Adds handlers that encode structs in memory.
  private static func addEncodingHandlers(to router: Router<BasicRequestContext>) {
    let plays = (1...count).map { PlayValues($0) }
    router.get("encoding/plays") { request, _ in
      let limit = request.uri.queryParameters["limit"].flatMap { Int($0) } ?? count
      return try encoded(Array(plays.prefix(limit)))
    }
    router.get("encoding/plays/:id") { _, context in
      guard let number = Int(try context.parameters.require("id")), (1...count).contains(number) else {
        throw HTTPError(.notFound)
      }
      return try encoded(plays[number - 1])
    }
  }

  private static func encoded<Value: Encodable>(_ value: Value) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.dateEncodingStrategy = .iso8601
    let body = ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(value)))
    return Response(status: .ok, headers: [.contentType: "application/json"], body: body)
  }

  /// Prints a line at once, even into a pipe.
  private static func printLine(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}

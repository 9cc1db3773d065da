// A client for an API that requires a key, wraps its responses in envelopes, and tags stored tasks. `tasks URL` uses a
// server, such as `Scripts/rest-server`. Without an address, a server in the same process answers.

import Foundation
import ModelKit

final class ToDo: Model {
  let id = Field<Int>()
  let title = Field<String>().require(.notBlank)
  let dueOn = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
  let isDone = Field<Bool>(false)
  override var identifierField: AnyField? { id }
}

struct TaskAPI: RESTDialect {
  func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) {
    request.headers["X-Api-Key"] = "demo"
  }

  func serialize<M: Model>(_ record: AttributeDictionary, of type: M.Type) throws -> JSONValue {
    .object(record.merging(["source": "tasks"]) { mine, _ in mine })
  }

  func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    var answer = try RESTResponse(response)
    answer.payload = answer.payload?["data"] ?? answer.payload
    return answer
  }
}

/// A transport that prints each request before sending it.
struct Log: HTTPTransport {
  let next: any HTTPTransport

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let body = request.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
    print("-> \(request.method) \(request.url.path)\(body)")
    return try await next.send(request)
  }
}

/// A server without a network.
actor Server: HTTPTransport {
  private var tasks: [JSONValue] = []

  func send(_ request: HTTPRequest) throws -> HTTPResponse {
    guard request.headers["X-Api-Key"] != nil else { return HTTPResponse(status: 401) }
    let fields = try request.body.map { try JSONValue(json: $0).objectValue ?? [:] } ?? [:]
    let number = Int(request.url.lastPathComponent) ?? 0
    switch request.method {
    case .post:
      tasks.append(.object(fields.merging(["id": .int(tasks.count + 1)]) { $1 }))
      return answer(201, tasks[tasks.count - 1])
    case .patch where tasks.indices.contains(number - 1):
      tasks[number - 1] = .object((tasks[number - 1].objectValue ?? [:]).merging(fields) { $1 })
      return answer(200, tasks[number - 1])
    case .get where number == 0: return answer(200, .array(tasks))
    case .get where tasks.indices.contains(number - 1): return answer(200, tasks[number - 1])
    default: return HTTPResponse(status: 404, body: Data(#"{"error": "no such task"}"#.utf8))
    }
  }

  private func answer(_ status: Int, _ data: JSONValue) -> HTTPResponse {
    HTTPResponse(status: status, body: Data("{\"data\": \(data)}".utf8))
  }
}

let address = CommandLine.arguments.dropFirst().first
guard let url = URL(string: address ?? "http://tasks.example") else { exit(64) }
let store = RESTModelStore(
  baseURL: url, dialect: TaskAPI(), transport: Log(next: address == nil ? Server() : URLSessionTransport.shared),
  scope: ModelScope(transformers: ValueTransformerContext(keyCase: .snake)))

let toDo = try ToDo.from(dictionaryValue: ["title": "Water the plants", "due_on": "2026-05-01"], in: store.scope)
try await store.save(toDo)
toDo.isDone.value = true
try await store.save(toDo)
for toDo in try await store.list(ToDo.self) { print(toDo.identifier ?? "?", toDo.title.value ?? "?") }
do { _ = try await store.lookup(ToDo.self, identifier: "99") } catch { print(error) }

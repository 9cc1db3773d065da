import Foundation
import MemoryStore
import RESTService
import StoreEngine
import Synchronization
import Testing

/// A store whose engine keeps a change log in memory.
final class LoggedStore: RecordStore<ChangeLogEngine<MemoryEngine>>, TransactionalModelStore {}

/// A clock that a test advances.
final class TestClock: Sendable {
  private let time = Mutex(Date(timeIntervalSince1970: 1_000_000))

  var date: Date { time.withLock { $0 } }

  func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}

/// A service with novels and owners over an engine with a change log, and requests to it.
struct LoggedLibrary: ServedLibrary {
  let engine: ChangeLogEngine<MemoryEngine>
  let service: RESTService
  let clock = TestClock()

  /// The changes are kept for a minute.
  init(options: RESTServiceOptions = RESTServiceOptions(), access: ((inout RESTAccess) -> Void)? = nil) {
    engine = ChangeLogEngine(
      MemoryModelStore().handle, retention: .seconds(60), now: { [clock] in clock.date })
    service = RESTService(engine, serving: [Owner.self, Novel.self], options: options, access: access)
  }

  var store: LoggedStore { LoggedStore(engine) }

  /// Returns the current position.
  func position(user: String? = nil) async throws -> String {
    try #require(try await request("GET", "/novels?updated_since=", user: user).json?["position"]?.stringValue)
  }

  /// Returns the changes of novels since a position.
  func changes(since position: String, _ parameters: String = "", user: String? = nil) async throws -> Changes {
    let answer = try await request("GET", "/novels?updated_since=\(position)\(parameters)", user: user)
    return Changes(json: try #require(answer.status == 200 ? answer.json : nil))
  }
}

struct Changes {
  let json: JSONValue

  var titles: [String] { json["updated"]?.arrayValue?.compactMap { $0["title"]?.stringValue } ?? [] }
  var deleted: [String] { json["deleted"]?.arrayValue?.compactMap(\.stringValue) ?? [] }
  var left: [String] { json["left"]?.arrayValue?.compactMap(\.stringValue) ?? [] }
  var position: String { json["position"]?.stringValue ?? "" }
  var hasMore: Bool { json["hasMore"] == true }
  var isReset: Bool { json["reset"] == true }
}

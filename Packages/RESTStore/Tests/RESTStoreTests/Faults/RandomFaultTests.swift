import Foundation
@_spi(ModelKitInternals) import RESTStore
@_spi(ModelKitInternals) import StoreProtocol
import Testing

@testable import StoreProtocolTesting

/// A tenth of the requests fail, before or after they are carried out. Set `RESTSTORE_FAULT_REQUESTS=10000` for more of
/// them.
@Suite(.needsRESTServer, .timeLimit(.minutes(30))) struct `A server of which a part of the requests fail` {
  private static let count =
    ProcessInfo.processInfo.environment["RESTSTORE_FAULT_REQUESTS"].flatMap { Int($0) } ?? 1_000

  /// The records of one worker about its part.
  private struct Ledger: Sendable {
    /// The last acknowledged value of each model that was created.
    var written: [String: String] = [:]
    /// The values that may have been stored, because the answer to a write was an error.
    var uncertain: [String: Set<String>] = [:]
    var deleted: Set<String> = []
    var unclear: Set<String> = []
    var calls = 0
    var failures = 0
  }

  @Test(arguments: [true, false])
  func `A server of which a part of the requests fail has every acknowledged write exactly once`(usesKeys: Bool)
    async throws
  {
    let server = try RESTServer("rest-fault-server")
    let run = UUID().uuidString
    _ = try await server.control(.post, "plan/\(run)", ["seed": 9, "percent": 10])
    var options = RESTOptions()
    options.retry = RESTRetryPolicy(attempts: 4)
    options.retry.sleep = { _ in }
    if usesKeys { options.idempotencyKeyHeader = "Idempotency-Key" }
    let handle = RESTModelStore(
      baseURL: server.url.appendingPathComponent("random/\(run)"), dialect: Patient(), transport: URLSessionTransport(),
      options: options
    ).handle
    let workers = 8
    let ledgers = await withTaskGroup(of: Ledger.self) { group in
      for worker in 0..<workers {
        group.addTask { await Self.work(handle, worker: worker, calls: Self.count / workers) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let state = try #require(try await server.control(.get, "state/\(run)"))
    let objects = state["objects"]?.arrayValue ?? []
    let values = Dictionary(grouping: objects.compactMap { $0["text"]?.stringValue }) { $0.prefix { $0 != "#" } }
    #expect((state["failed"]?.intValue ?? 0) > Self.count / 30)
    for ledger in ledgers {
      #expect(ledger.calls == Self.count / workers)
      for (name, value) in ledger.written {
        let found = values[Substring(name)] ?? []
        if ledger.deleted.contains(name) {
          #expect(found.isEmpty, "\(name) was deleted")
        } else if ledger.unclear.contains(name) {
          #expect(found.count <= 1)
        } else {
          #expect(found.count == 1, "\(name) is there \(found.count) times")
          let possible = ledger.uncertain[name, default: []].union([value])
          #expect(found.allSatisfy { possible.contains($0) }, "\(name): \(found), not \(possible)")
        }
      }
      // No unacknowledged create is there twice.
      for name in ledger.unclear { #expect((values[Substring(name)] ?? []).count <= 1) }
    }
    // With keys, hardly anything is left to chance.
    if usesKeys { #expect(ledgers.map(\.failures).reduce(0, +) <= Self.count / 20) }
    await server.kill()
  }

  /// A dialect that fails a hanging request before the tests end.
  private struct Patient: RESTDialect {
    func adjust(_ request: inout HTTPRequestData, for operation: RESTOperation) {
      request.timeout = .seconds(4)
    }
  }

  private static func work(_ handle: RESTEngine, worker: Int, calls: Int) async -> Ledger {
    var random = RandomSource(seed: UInt64(worker) + 1)
    var ledger = Ledger()
    let store = RESTModelStore(handle)
    var notes: [(name: String, model: Note)] = []
    while ledger.calls < calls {
      ledger.calls += 1
      let choice = notes.isEmpty ? 0 : Int(random.next() % 10)
      let index = notes.isEmpty ? 0 : Int(random.next() % UInt64(notes.count))
      do {
        switch choice {
        case 0...3:
          let name = "w\(worker)n\(ledger.calls)"
          ledger.unclear.insert(name)
          let note = Note()
          note.text.value = "\(name)#0"
          try await store.create(note)
          ledger.unclear.remove(name)
          ledger.written[name] = "\(name)#0"
          notes.append((name, note))
        case 4...6:
          let (name, note) = notes[index]
          let value = "\(name)#\(ledger.calls)"
          note.text.value = value
          ledger.uncertain[name, default: []].insert(value)
          try await store.update(note)
          ledger.uncertain[name] = []
          ledger.written[name] = value
        case 7:
          let (name, note) = notes.remove(at: index)
          ledger.unclear.insert(name)
          try await store.delete(note)
          ledger.unclear.remove(name)
          ledger.deleted.insert(name)
        default:
          let (name, note) = notes[index]
          let found = try await store.lookup(Note.self, identifier: note.identifier ?? "")
          if found !== note || note.text.value?.hasPrefix("\(name)#") != true { ledger.written[name] = "wrong answer" }
        }
      } catch {
        ledger.failures += 1
      }
    }
    return ledger
  }
}

private final class Note: Model {
  let id = Field<Int>()
  let text = Field<String>()
  override var identifierField: AnyField? { id }
}

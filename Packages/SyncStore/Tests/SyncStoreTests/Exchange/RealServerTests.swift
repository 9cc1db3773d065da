@_spi(ModelKitInternals) import FieldKit
import Foundation
import MemoryStore
import RESTStore
import StoreProtocol
import Testing

@testable import SyncStore

/// A model that two clients share over a real server.
private protocol SharedPlay: Model {
  var title: Field<String> { get }
  var acts: Field<Int> { get }
  var year: Field<Int> { get }
}

final class Playwright: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let plays = ModelField<Play>(foreignKey: true)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, name] }
}

/// A play in the database of Django, which assigns integers as identifiers.
final class Play: Model, SharedPlay {
  let id = Field<Int>()
  let title = Field<String>()
  let acts = Field<Int>()
  let year = Field<Int>()
  let playwright = ModelField<Playwright>(foreignKey: true, inverse: \.plays)
  let changed = Field<Date>()
  override var identifierField: AnyField? { id }
}

/// A play in Kinto, which assigns UUIDs unless the client sends an identifier.
final class KintoPlay: Model, SharedPlay {
  let id = Field<String>()
  let title = Field<String>()
  let acts = Field<Int>()
  let year = Field<Int>()
  let modified = Field<Int>(key: "last_modified")
  override var identifierField: AnyField? { id }
}

/// The dialect of Kinto: envelopes, and pages by a header.
private struct KintoDialect: RESTDialect {
  let base = EnvelopedDialect("data", paging: .linked)

  func address(of operation: RESTOperation) throws -> RESTAddress {
    let collection = operation.collectionPath
    return RESTAddress(collection + "/records" + operation.path.dropFirst(collection.count))
  }

  func formatPayload(_ payload: JSONValue, for operation: RESTOperation) throws -> JSONValue {
    try base.formatPayload(payload, for: operation)
  }

  func constructResponse(_ response: HTTPResponse, to operation: RESTOperation) throws -> RESTResponse {
    var answer = try base.constructResponse(response, to: operation)
    if operation.kind == .list {
      answer.next = response.headers["Next-Page"].map { .address($0) }
      answer.isLast = answer.next == nil
    }
    return answer
  }

  func translate(_ query: RESTQuery) throws -> RESTQueryTranslation { try base.translate(query) }
}

/// A server by others, as `Scripts/rest-contract` starts it.
private enum RealServer: String, CaseIterable, CustomTestStringConvertible {
  case django, kinto

  static let isRunning = allCases.allSatisfy { $0.address != nil }

  var testDescription: String { rawValue }

  private var address: String? {
    ProcessInfo.processInfo.environment[self == .django ? "RESTSTORE_DJANGO_URL" : "SYNCSTORE_KINTO_URL"]
  }

  func store(over transport: any HTTPTransport = URLSessionTransport.shared) throws -> RESTModelStore {
    let url = try #require(address.flatMap { URL(string: $0) })
    switch self {
    case .django:
      let dialect = DjangoRESTDialect(paging: .pages(size: 7), orderingParameter: "ordering")
      return RESTModelStore(baseURL: url, dialect: dialect, transport: transport)
    case .kinto:
      let base = url.appendingPathComponent("v1/buckets/tests/collections")
      return RESTModelStore(baseURL: base, dialect: KintoDialect(), transport: transport)
    }
  }

  /// Removes what earlier tests left.
  func clear() async throws {
    let store = try store()
    switch self {
    case .django:
      for play in try await store.list(Play.self) { try await store.delete(play) }
      for playwright in try await store.list(Playwright.self) { try await store.delete(playwright) }
    case .kinto: for play in try await store.list(KintoPlay.self) { try await store.delete(play) }
    }
  }
}

/// The network of a client.
private final class Network: HTTPTransport {
  enum State { case online, offline, losesAnswers }

  private let current = Lock(State.online)
  /// The requests that were sent.
  private let sent = Lock<[HTTPRequestData]>([])

  var state: State {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  var requests: [HTTPRequestData] { sent.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    if state == .offline { throw ModelStoreError(.offline, "There is no network.") }
    sent.withLock { $0.append(request) }
    let response = try await URLSessionTransport.shared.send(request)
    if state == .losesAnswers, request.method != .get { throw ModelStoreError(.timeout, "The answer was lost.") }
    return response
  }
}

@Suite(
  .enabled(if: RealServer.isRunning, "needs Django REST framework and Kinto: run Scripts/rest-contract"), .serialized,
  .timeLimit(.minutes(30)))
struct `A synchronised store on a Django REST server, and on Kinto` {
  private struct Client {
    let network = Network()
    let store: MemorySyncStore

    init(_ server: RealServer) throws {
      let isTemporary: @Sendable (String, String) -> Bool = { _, identifier in
        identifier.hasPrefix("-") || identifier.hasPrefix("new-")
      }
      store = SyncModelStore(
        local: MemoryModelStore(), remote: try server.store(over: network),
        types: server == .django ? [Playwright.self, Play.self] : [KintoPlay.self],
        options: SyncOptions(isTemporary: isTemporary))
      if server == .django { store.policy(Play.self, .changes(by: \.changed)) }
    }
  }

  private func clients(of server: RealServer) async throws -> (first: Client, second: Client) {
    try await server.clear()
    return (try Client(server), try Client(server))
  }

  private func make<P: SharedPlay>(_ type: P.Type, _ title: String, acts: Int, year: Int? = nil) -> P {
    let play = P()
    // Django assigns an integer, and Kinto another text.
    (play as? KintoPlay)?.id.value = "new-\(UUID().uuidString)"
    (play.title.value, play.acts.value, play.year.value) = (title, acts, year)
    return play
  }

  private func texts<P: SharedPlay>(_ store: any ModelStore, _ type: P.Type) async throws -> [String] {
    try await store.list(type).map { play in
      "\(play.title.value ?? "") \(play.acts.value ?? 0) \(play.year.value ?? 0)"
    }.sorted()
  }

  /// Runs a test with the class of the plays of a server.
  private func run(_ server: RealServer, _ body: (any SharedPlay.Type) async throws -> Void) async throws {
    try await body(server == .django ? Play.self : KintoPlay.self)
  }

  private func expectEqual<P: SharedPlay>(
    _ server: RealServer, _ clients: [Client], _ type: P.Type, _ expected: [String]
  ) async throws {
    #expect(try await texts(try server.store(), type) == expected)
    for client in clients {
      #expect(try await texts(client.store, type) == expected)
      #expect(try await client.store.outbox().isEmpty)
      #expect(try await client.store.sync().pushed == 0)
    }
  }

  @Test(arguments: RealServer.allCases)
  private func `Records created offline get the identifiers of the server`(server: RealServer) async throws {
    func check<P: SharedPlay>(_ type: P.Type) async throws {
      let (first, second) = try await clients(of: server)
      first.network.state = .offline
      let plays = (1...9).map { make(type, "Play \($0)", acts: $0) }
      for play in plays { try await first.store.save(play) }
      let temporary = plays.compactMap(\.identifier)
      await #expect(throws: ModelStoreError.self) { try await first.store.sync() }
      #expect(try await first.store.outbox().count == 9)
      first.network.state = .online
      #expect(try await first.store.sync().pushed == 9)
      for (play, before) in zip(plays, temporary) {
        #expect(play.identifier != before)
        #expect(try await first.store.lookup(type, identifier: before) === play)
      }
      try await second.store.sync()
      try await expectEqual(server, [first, second], type, (1...9).map { "Play \($0) \($0) 0" })
      let written = first.network.requests.filter { $0.method != .get }
      #expect(!written.contains { $0.url.path.contains("/-") || $0.url.path.contains("/new-") })
    }
    try await run(server) { try await check($0) }
  }

  @Test(arguments: RealServer.allCases)
  private func `Changes of different fields are merged, and one of the same field is reported`(
    server: RealServer
  ) async throws {
    func check<P: SharedPlay>(_ type: P.Type) async throws {
      let (first, second) = try await clients(of: server)
      let mine = make(type, "Faust", acts: 1, year: 1)
      try await first.store.save(mine)
      try await first.store.sync()
      try await second.store.sync()
      let theirs = try #require(try await second.store.list(type).first)
      // The second client is offline.
      second.network.state = .offline
      theirs.acts.value = 5
      try await second.store.save(theirs)
      mine.year.value = 1808
      try await first.store.save(mine)
      try await first.store.sync()
      second.network.state = .online
      try await second.store.sync()
      try await first.store.sync()
      try await expectEqual(server, [first, second], type, ["Faust 5 1808"])
      #expect(try await second.store.discardedValues().isEmpty)
      #expect(mine.acts.value == 5 && theirs.year.value == 1808)

      second.network.state = .offline
      theirs.acts.value = 7
      try await second.store.save(theirs)
      mine.acts.value = 6
      try await first.store.save(mine)
      try await first.store.sync()
      second.network.state = .online
      try await second.store.sync()
      try await expectEqual(server, [first, second], type, ["Faust 6 1808"])
      let discarded = try await second.store.discardedValues()
      #expect(discarded.map(\.key) == ["acts"] && discarded.map(\.value) == [7])
      try await second.store.acknowledge(discarded)
      #expect(try await second.store.discardedValues().isEmpty)
    }
    try await run(server) { try await check($0) }
  }

  @Test(arguments: RealServer.allCases)
  private func `A deletion beside an edit is decided, and no side loses it unnoticed`(server: RealServer) async throws {
    func check<P: SharedPlay>(_ type: P.Type) async throws {
      let (first, second) = try await clients(of: server)
      for number in 1...3 { try await first.store.save(make(type, "Play \(number)", acts: 1)) }
      try await first.store.sync()
      try await second.store.sync()
      func play(_ number: Int, of client: Client) async throws -> P {
        try #require(try await client.store.list(type).first { $0.title.value == "Play \(number)" })
      }
      second.network.state = .offline
      // Deleted at the first and edited at the second client, the reverse, and deleted at both.
      let edited = try await play(1, of: second)
      edited.acts.value = 9
      try await second.store.save(edited)
      try await second.store.delete(try await play(2, of: second))
      try await second.store.delete(try await play(3, of: second))
      try await first.store.delete(try await play(1, of: first))
      let other = try await play(2, of: first)
      other.acts.value = 8
      try await first.store.save(other)
      try await first.store.delete(try await play(3, of: first))
      try await first.store.sync()
      second.network.state = .online
      try await second.store.sync(comparingAll: true)
      try await expectEqual(server, [first, second], type, ["Play 2 8 0"])
      let discarded = try await second.store.discardedValues()
      #expect(discarded.count == 2 && discarded.allSatisfy { $0.key == nil })
      #expect(discarded.contains { $0.value.objectValue?["acts"] == 9 } && discarded.contains { $0.value.isNull })
    }
    try await run(server) { try await check($0) }
  }

  @Test(arguments: RealServer.allCases)
  private func `A write whose answer was lost takes effect once`(server: RealServer) async throws {
    func check<P: SharedPlay>(_ type: P.Type) async throws {
      let (first, second) = try await clients(of: server)
      let play = make(type, "Egmont", acts: 1)
      func synchronizeLosingAnswers() async throws {
        first.network.state = .losesAnswers
        _ = try? await first.store.sync()
        #expect(try await first.store.outbox().count == 1)
        first.network.state = .online
        try await first.store.sync()
      }
      try await first.store.save(play)
      try await synchronizeLosingAnswers()
      try await second.store.sync()
      try await expectEqual(server, [first, second], type, ["Egmont 1 0"])
      play.acts.value = 5
      try await first.store.save(play)
      try await synchronizeLosingAnswers()
      try await second.store.sync()
      try await expectEqual(server, [first, second], type, ["Egmont 5 0"])
      try await first.store.delete(play)
      try await synchronizeLosingAnswers()
      try await second.store.sync(comparingAll: true)
      try await expectEqual(server, [first, second], type, [])
      #expect(try await second.store.discardedValues().isEmpty)
    }
    try await run(server) { try await check($0) }
  }

  @Test func `References between new records, a rejected value and a deletion reach Django`() async throws {
    let (first, second) = try await clients(of: .django)
    let (playwright, play) = (Playwright(), make(Play.self, String(repeating: "x", count: 81), acts: 5))
    playwright.name.value = "Goethe"
    play.playwright.value = playwright
    try await first.store.save(play, including: .related)
    try await first.store.sync()
    let entry = try #require(try await first.store.failures().first)
    #expect(entry.type == "Play" && entry.fields["title"]?.first?.contains("80") == true)
    #expect(play.title.validationState.messages == entry.fields["title"])
    play.title.value = "Iphigenie"
    try await first.store.save(play)
    try await first.store.sync()
    try await second.store.sync()
    let theirs = try #require(try await second.store.list(Play.self).first)
    #expect(theirs.playwright.value?.identifier == playwright.identifier)
    // The database sets the reference to null, and so does the delete rule here.
    try await first.store.delete(playwright)
    try await first.store.sync()
    try await second.store.sync(comparingAll: true)
    #expect(try await second.store.list(Playwright.self).isEmpty)
    #expect(theirs.playwright.value == nil)
    try await expectEqual(.django, [first, second], Play.self, ["Iphigenie 5 0"])
    #expect(try await second.store.discardedValues().isEmpty)
  }
}

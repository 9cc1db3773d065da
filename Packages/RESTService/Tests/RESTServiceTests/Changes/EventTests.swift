import Foundation
import MemoryStore
import RESTService
import StoreEngine
import Synchronization
import Testing

@testable import StoreProtocolTesting

/// A client that keeps a list up to date with events, over a connection that is cut anywhere.
private struct EventClient {
  let library: LoggedLibrary
  let query: String
  private(set) var records: [String: JSONValue] = [:]
  private(set) var lastIdentifier: String?
  /// The numbers of events by name.
  private(set) var counts: [String: Int] = [:]

  init(_ library: LoggedLibrary, _ query: String) { (self.library, self.query) = (library, query) }

  var headers: HTTPHeaderList {
    var headers: HTTPHeaderList = ["Accept": "text/event-stream"]
    headers["Last-Event-ID"] = lastIdentifier
    return headers
  }

  /// Reads what arrived before the connection was cut. An incomplete event is ignored.
  mutating func receive(_ bytes: Data) async throws {
    let text = String(decoding: bytes, as: UTF8.self)
    for block in text.components(separatedBy: "\n\n").dropLast() {
      var fields: [String: String] = [:]
      for line in block.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        fields[String(parts[0])] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
      }
      if let identifier = fields["id"] { lastIdentifier = identifier }
      guard let name = fields["event"], let data = fields["data"] else { continue }
      counts[name, default: 0] += 1
      let json = try JSONValue(json: data)
      switch name {
      case "reset": records = try await Self.list(library, query)
      case "updated": records[Self.identifier(json)] = json
      default: records[json["identifier"]?.stringValue ?? ""] = nil
      }
    }
  }

  private static func identifier(_ record: JSONValue) -> String { record["id"]?.intValue.map(String.init) ?? "" }

  /// Lists all records of the query, page by page.
  static func list(_ library: LoggedLibrary, _ query: String) async throws -> [String: JSONValue] {
    var records: [String: JSONValue] = [:]
    var address: String? = "/novels?\(query)"
    while let next = address {
      let page = try await library.request("GET", next)
      for record in page.json?.arrayValue ?? [] { records[identifier(record)] = record }
      address = page.response.headers["Link"] == nil ? nil : try page.next(after: "/novels")
    }
    return records
  }
}

@Suite(.timeLimit(.minutes(30))) struct `Events of a service` {
  private static let rated = "where=%7B%22field%22:%22rating%22,%22is%22:%22%3E%3D%22,%22value%22:3%7D"

  private static func stream(
    _ library: LoggedLibrary, _ query: String = "", after identifier: String? = nil
  ) throws -> RESTEventStream? {
    var headers: HTTPHeaderList = ["Accept": "text/event-stream"]
    headers["Last-Event-ID"] = identifier
    let url = try #require(URL(string: "http://library.test/novels?" + query))
    return library.service.events(for: HTTPRequestData(.get, url, headers: headers))
  }

  private static func text(_ data: Data?) -> String { data.map { String(decoding: $0, as: UTF8.self) } ?? "" }

  private static func next(_ iterator: RESTEventStream.AsyncIterator) async -> String {
    var iterator = iterator
    return text(await iterator.next())
  }

  /// Writes something at random, as other clients do.
  private static func write(
    _ library: LoggedLibrary, _ store: LoggedStore, _ random: inout some RandomNumberGenerator
  ) async throws {
    let novels = try await store.list(Novel.self)
    let novel = novels.randomElement(using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      let novel = Novel()
      (novel.title, novel.rating) = ("new", Int.random(in: 1...5, using: &random))
      try await store.create(novel)
    case 2 where novels.count > 5:
      if let novel { try await store.delete(novel) }
    case 3:
      // Two changes in one commit.
      try await store.transaction { store in
        for novel in novels.shuffled(using: &random).prefix(2) {
          novel.rating = Int.random(in: 1...5, using: &random)
          try await store.save(novel)
        }
      }
    case 4:
      let owner = Owner()
      owner.name = "Olga"
      try await store.create(owner)
    default:
      guard let novel else { return }
      novel.rating = Int.random(in: 1...5, using: &random)
      novel.title = "t\(Int.random(in: 0..<1_000, using: &random))"
      try await store.save(novel)
    }
  }

  @Test func `A list equals a fresh query after many cuts of the connection at random points`() async throws {
    var random = RandomSource(seed: TestEffort.firstSeed)
    let library = LoggedLibrary(options: RESTServiceOptions(pageSize: 7))
    let store = library.store
    var client = EventClient(library, Self.rated)
    var comparisons = 0
    for cut in 0..<150 * TestEffort.factor {
      for _ in 0..<Int.random(in: 0..<4, using: &random) { try await Self.write(library, store, &random) }
      if Int.random(in: 0..<50, using: &random) == 0 {
        library.clock.advance(61)
        try await library.engine.trim()
      }
      let answer = try await library.request("GET", "/novels?" + Self.rated, headers: client.headers)
      var bytes = answer.response.body
      if Self.text(bytes).contains("event:"), Int.random(in: 0..<2, using: &random) == 0 {
        let stream = try #require(try Self.stream(library, Self.rated, after: client.lastIdentifier))
        var iterator = stream.makeAsyncIterator()
        bytes = try #require(await iterator.next())
      }
      try await client.receive(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      if Int.random(in: 0..<2, using: &random) == 0 { continue }
      let rest = try await library.request("GET", "/novels?" + Self.rated, headers: client.headers)
      try await client.receive(rest.response.body)
      let fresh = try await EventClient.list(library, Self.rated)
      comparisons += 1
      try #require(client.records == fresh, "cut \(cut), seed \(TestEffort.firstSeed)")
    }
    #expect(comparisons > 50)
    for name in ["updated", "left", "deleted", "reset"] { #expect(client.counts[name, default: 0] > 0, "\(name)") }
  }

  @Test func `A stream sends commits when they happen`() async throws {
    let library = LoggedLibrary()
    let stream = try #require(try Self.stream(library, Self.rated))
    var iterator = stream.makeAsyncIterator()
    #expect(Self.text(await iterator.next()).hasPrefix("event: reset\ndata: {}\nid: "))
    let store = library.store
    let novel = Novel()
    (novel.title, novel.rating) = ("Emma", 5)
    try await store.create(novel)
    let created = Self.text(await iterator.next())
    #expect(created.hasPrefix("event: updated\ndata: {"))
    #expect(created.contains(#""title":"Emma""#))
    // The next event arrives although the commit comes after the wait began.
    async let left = Self.next(iterator)
    novel.rating = 1
    try await store.save(novel)
    #expect(await left.hasPrefix("event: left\ndata: {\"identifier\":\"1\"}\nid: "))
  }

  @Test func `A stream ends after its time, and with its task`() async throws {
    let library = LoggedLibrary(options: RESTServiceOptions(streamTime: .zero))
    var ended = try #require(try Self.stream(library)).makeAsyncIterator()
    #expect(await ended.next() == nil)
    let other = LoggedLibrary()
    let stream = try #require(try Self.stream(other, after: try await other.position()))
    let task = Task {
      var iterator = stream.makeAsyncIterator()
      return await iterator.next()
    }
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test func `A client without a stream gets the events so far`() async throws {
    let library = LoggedLibrary(options: RESTServiceOptions(maximumStreams: 1))
    let first = try Self.stream(library)
    #expect(first != nil)
    #expect(try Self.stream(library) == nil)
    let answer = try await library.request("GET", "/novels", headers: ["Accept": "text/event-stream"])
    #expect(answer.response.headers["Content-Type"] == "text/event-stream")
    #expect(Self.text(answer.response.body).hasPrefix("retry: 2000\n\nevent: reset\n"))
    withExtendedLifetime(first) {}
  }

  @Test func `A user with too many streams or requests gets no stream, and others do`() async throws {
    func stream(_ library: LoggedLibrary, _ user: String?) throws -> RESTEventStream? {
      let url = try #require(URL(string: "http://library.test/novels"))
      let request = HTTPRequestData(.get, url, headers: ["Accept": "text/event-stream"])
      return library.service.events(for: request, user: user)
    }
    let library = LoggedLibrary(options: RESTServiceOptions(maximumStreamsPerUser: 1))
    let first = try stream(library, "ada")
    #expect(first != nil)
    #expect(try stream(library, "ada") == nil)
    let others = try [stream(library, "bob"), stream(library, nil), stream(library, nil)]
    #expect(others.allSatisfy { $0 != nil })
    withExtendedLifetime(first) {}
    // Once more if a minute begins meanwhile.
    var (minute, outcome): (Int, [Int]) = (0, [])
    repeat {
      minute = Int(Date().timeIntervalSince1970) / 60
      let counted = LoggedLibrary(options: RESTServiceOptions(requestsPerMinute: 2))
      outcome = try (0..<3).map { _ in try stream(counted, "ada") == nil ? 429 : 200 }
      outcome.append(try await counted.request("GET", "/novels", user: "ada").status)
    } while minute != Int(Date().timeIntervalSince1970) / 60
    #expect(outcome == [200, 200, 429, 429])
  }

  @Test func `The error that ends a stream is reported`() async throws {
    let library = LoggedLibrary()
    let position = try await library.position()
    let bytes = Array(#"{"id":1,"title":[]}"#.utf8)
    try await library.engine.commit(RecordBatch([.create("Novel", "1", bytes)]))
    let errors = Mutex<[String]>([])
    let url = try #require(URL(string: "http://library.test/novels"))
    let headers: HTTPHeaderList = ["Accept": "text/event-stream", "Last-Event-ID": position]
    let stream = library.service.events(for: HTTPRequestData(.get, url, headers: headers)) { error in
      errors.withLock { $0.append("\(error)") }
    }
    var iterator = try #require(stream).makeAsyncIterator()
    #expect(await iterator.next() == nil)
    #expect(errors.withLock { $0.count } == 1)
    #expect(errors.withLock { $0.first }?.contains("title") == true)
  }

  @Test func `A stream that is released permits another one`() async throws {
    let library = LoggedLibrary(options: RESTServiceOptions(maximumStreams: 1))
    for _ in 0..<3 { #expect(try Self.stream(library) != nil) }
  }

  @Test func `Events need a change log, and the right to read`() async throws {
    let headers: HTTPHeaderList = ["Accept": "text/event-stream"]
    #expect(try await Library().request("GET", "/novels", headers: headers).status == 406)
    let closed = LoggedLibrary { access in access.allow(.read, Owner.self) }
    #expect(try Self.stream(closed) == nil)
    #expect(try await closed.request("GET", "/novels", headers: headers).status == 401)
    #expect(try await LoggedLibrary().request("GET", "/novels?sort=%5B%5D", headers: headers).status == 400)
  }
}

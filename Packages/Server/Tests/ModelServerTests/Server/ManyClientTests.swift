import FieldKit
import Foundation
import MemoryStore
import ModelServer
import RESTService
import StoreEngine
import Synchronization
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct `Many clients of a server` {
  private static let (clients, records, rounds) = (64, 8, 10)

  /// A client with a connection of its own, and the times of its requests.
  private struct Client {
    var exchange: RawClient.Exchange
    var times: [Duration] = []

    mutating func read(_ record: Int) async throws -> (count: Int, tag: String) {
      let (status, head, body) = try await send("GET /novels/\(record) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      try #require(status == 200)
      let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("etag: ") }
      let count = try JSONValue(json: body)["writer"]?.stringValue.flatMap { Int($0) }
      return (try #require(count), String(try #require(line).dropFirst("etag: ".count)))
    }

    /// Adds one to the count in a record, and repeats that while other clients are faster.
    mutating func increment(_ record: Int) async throws {
      while true {
        let (count, tag) = try await read(record)
        let body = #"{"writer": "\#(count + 1)"}"#
        let status = try await send(
          "PATCH /novels/\(record) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nIf-Match: \(tag)\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        ).status
        if status == 200 { return }
        try #require(status == 412 || status == 409)
      }
    }

    private mutating func send(_ request: String) async throws -> (status: Int, head: String, body: String) {
      let start = ContinuousClock.now
      let response = try await exchange.response(to: request)
      times.append(ContinuousClock.now - start)
      return response
    }
  }

  private final class WriterState: Sendable {
    let isDone = Mutex(false)
  }

  @Test(arguments: [false, true])
  func `No update is lost while as many clients read as write, and no reader sees an older count again`(
    hasLog: Bool
  ) async throws {
    let store = MemoryModelStore()
    for _ in 0..<Self.records {
      let novel = Novel()
      novel.writer = "0"
      try await store.create(novel)
    }
    let service =
      hasLog ? RESTService(ChangeLogEngine(store.handle), serving: [Novel.self]) : RESTService.novels(store)
    let state = WriterState()
    let (writes, reads) = try await withServer(service) { url in
      async let reading = Self.times { number in
        try await RawClient.exchange(with: url) { exchange in
          var client = Client(exchange: exchange)
          var last = 0
          repeat {
            let count = try await client.read(number % Self.records + 1).count
            try #require(count >= last)
            last = count
          } while !state.isDone.withLock { $0 }
          return client.times
        }
      }
      let writes = try await Self.times { number in
        try await RawClient.exchange(with: url) { exchange in
          var client = Client(exchange: exchange)
          for round in 0..<Self.rounds { try await client.increment((number + round) % Self.records + 1) }
          return client.times
        }
      }
      state.isDone.withLock { $0 = true }
      return (writes, try await reading)
    }
    let counts = try await store.list(Novel.self).compactMap { $0.writer.flatMap { Int($0) } }
    #expect(counts == Array(repeating: Self.clients * Self.rounds / Self.records, count: Self.records))
    print("\(Self.clients) writers\(hasLog ? " with a change log" : ""): \(Self.summary(of: writes))")
    print("\(Self.clients) readers beside them: \(Self.summary(of: reads))")
  }

  /// Returns the times of the requests of all clients.
  private static func times(
    _ body: @escaping @Sendable (Int) async throws -> [Duration]
  ) async throws -> [Duration] {
    try await withThrowingTaskGroup(of: [Duration].self) { group in
      for number in 0..<clients { group.addTask { try await body(number) } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  private static func summary(of times: [Duration]) -> String {
    let sorted = times.sorted()
    func time(_ fraction: Double) -> String {
      "\((sorted[Int(Double(sorted.count - 1) * fraction)] / .microseconds(1)).rounded() / 1_000) ms"
    }
    return "\(sorted.count) requests, median \(time(0.5)), p99 \(time(0.99)), maximum \(time(1))"
  }
}

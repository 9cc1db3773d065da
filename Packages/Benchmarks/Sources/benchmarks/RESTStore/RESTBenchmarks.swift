import BenchmarkHarness
import Foundation
import RESTStore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Reads of people over HTTP from a server in another process. The peer is a handwritten loop over URLSession and
/// JSONDecoder.
enum RESTBenchmarks {
  static var all: [Benchmark] {
    guard PeopleServer.isPossible else {
      FileHandle.standardError.write(Data("The group rest is left out: it needs python3 in the PATH.\n".utf8))
      return []
    }
    return [1, 16, 64].map(lookups) + [list(10_000), equalLookups(1_000)]
  }

  /// The number of people that can be looked up separately.
  private static let single = 1_024

  private static func lookups(_ concurrency: Int) -> Benchmark {
    Benchmark(
      group: "rest", name: "lookups, \(concurrency) at a time", operation: "lookup",
      size: concurrency == 1 ? 500 : 2_048
    ) { size in
      let server = try PeopleServer(count: single, single: single)
      let handle = RESTModelStore(baseURL: server.url).handle
      let client = BareClient(server.url)
      return [
        Side(
          "ModelKit", prepare: { _ in },
          run: { try await lookUp(size, concurrency, handle) }, checksum: { $0 },
          finish: { server.stop() }),
        Side(
          "URLSession and JSONDecoder", goal: 1 / 0.95, prepare: { _ in },
          run: { try await inTasks(concurrency, size) { try await client.lookUp($0) } }, checksum: { $0 }),
      ]
    }
  }

  private static func list(_ count: Int) -> Benchmark {
    Benchmark(group: "rest", name: "list of \(count)", operation: "person", size: count) { size in
      let server = try PeopleServer(count: size, single: 0)
      let router = RESTRouter()
      router.route(Person.self, to: "everybody")
      let handle = RESTModelStore(baseURL: server.url, router: router).handle
      let client = BareClient(server.url)
      return [
        Side(
          "ModelKit", prepare: { _ in RESTModelStore(handle) },
          run: { front in (front, try await front.list(Person.self)) }, checksum: { Person.checksum($1) },
          finish: { server.stop() }),
        Side(
          "URLSession and JSONDecoder", goal: 1 / 1.5, prepare: { _ in }, run: { try await client.everybody() },
          checksum: { CodablePerson.checksum($0) }),
      ]
    }
  }

  private static func equalLookups(_ count: Int) -> Benchmark {
    Benchmark(group: "rest", name: "\(count) equal lookups at once", operation: "lookup", size: count) { size in
      let server = try PeopleServer(count: 1, single: 1)
      let handle = RESTModelStore(baseURL: server.url).handle
      let client = BareClient(server.url)
      return [
        Side(
          "ModelKit", prepare: { _ in },
          run: { try await inTasks(size, size) { _ in try await lookUp(0, handle) } }, checksum: { $0 },
          finish: { server.stop() }),
        Side(
          "URLSession and JSONDecoder", goal: 1, prepare: { _ in },
          run: { try await inTasks(size, size) { _ in try await client.lookUp(0) } }, checksum: { $0 }),
      ]
    }
  }

  /// Runs `count` operations in a number of tasks, and returns the sum of their results.
  private static func inTasks(
    _ concurrency: Int, _ count: Int, _ body: @escaping @Sendable (Int) async throws -> UInt64
  ) async throws -> UInt64 {
    try await withThrowingTaskGroup(of: UInt64.self) { group in
      for task in 0..<concurrency {
        group.addTask {
          var sum: UInt64 = 0
          for number in stride(from: task, to: count, by: concurrency) { sum &+= try await body(number % single) }
          return sum
        }
      }
      return try await group.reduce(0, &+)
    }
  }

  /// Looks up people like ``inTasks(_:_:_:)``, with a store instance for each task.
  private static func lookUp(_ count: Int, _ concurrency: Int, _ handle: RESTEngine) async throws -> UInt64 {
    try await withThrowingTaskGroup(of: UInt64.self) { group in
      for task in 0..<concurrency {
        group.addTask {
          let front = RESTModelStore(handle)
          var sum: UInt64 = 0
          for number in stride(from: task, to: count, by: concurrency) {
            let person = try await front.lookup(Person.self, identifier: String(number % single))
            sum &+= Person.checksum([person])
          }
          return sum
        }
      }
      return try await group.reduce(0, &+)
    }
  }

  private static func lookUp(_ identifier: Int, _ handle: RESTEngine) async throws -> UInt64 {
    let person = try await RESTModelStore(handle).lookup(Person.self, identifier: String(identifier))
    return Person.checksum([person])
  }
}

/// A handwritten client without a store.
private struct BareClient: Sendable {
  private let session = URLSession(configuration: .ephemeral)
  private let url: URL

  init(_ url: URL) { self.url = url }

  func lookUp(_ identifier: Int) async throws -> UInt64 {
    let (data, _) = try await session.data(from: url.appendingPathComponent("people/\(identifier)"))
    return CodablePerson.checksum([try JSONDecoder().decode(CodablePerson.self, from: data)])
  }

  func everybody() async throws -> [CodablePerson] {
    let (data, _) = try await session.data(from: url.appendingPathComponent("everybody"))
    return try JSONDecoder().decode([CodablePerson].self, from: data)
  }
}

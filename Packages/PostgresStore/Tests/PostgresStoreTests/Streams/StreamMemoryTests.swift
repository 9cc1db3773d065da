#if Postgres && os(Linux)
  import Foundation
  import ModelCore
  import PostgresStore
  import StoreProtocol
  import StoreProtocolTesting
  import Testing

  // One test after another, because each measures the memory of the process.
  @Suite(.serialized) struct `Streams of a PostgreSQL store` {
    /// A million with more than the usual effort.
    private static let rowCount = TestEffort.factor > 1 ? 1_000_000 : 10_000
    /// The rows of all tests, which together have 100 MB.
    private static let options = Task {
      let options = TestServer.options()
      let store = try await TestServer.makeStore(options)
      try await store.prepare([Parcel.self])
      try await TestServer.shared.value.psql(
        """
        INSERT INTO \(options.schema).parcel (id, seq, revision, body) \
        SELECT n, n, 1, json_build_object('id', n, 'kind', CASE WHEN n % 1000 = 0 THEN 'large' ELSE 'small' END, \
        'weight', CASE WHEN n % 1000 = 0 THEN n END, 'label', repeat('x', \(100_000_000 / rowCount))) \
        FROM generate_series(1, \(rowCount)) AS n; ANALYZE \(options.schema).parcel
        """)
      return options
    }

    /// The memory that this process uses now, in MB.
    private func memory() throws -> Int {
      let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
      return (Int(pages[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) / 1_000_000
    }

    /// Reads a stream to its end, and expects that it needs memory for a small part of the rows.
    private func expectBounded(_ count: Int, _ stream: StoredModelSequence<some Model>) async throws {
      var (number, largest) = (0, 0)
      let before = try memory()
      for try await _ in stream {
        number += 1
        if number % 10 == 1 { largest = max(largest, try memory()) }
      }
      #expect(number == count)
      // Other tests that run at the same time need some, too.
      #expect(largest - before < 60)
    }

    @Test func `A stream of all rows needs memory for few of them`() async throws {
      let store = try await TestServer.makeStore(Self.options.value)
      try await expectBounded(Self.rowCount, store.stream(Parcel.self))
    }

    @Test func `A stream with a condition that SQL evaluates needs memory for few rows`() async throws {
      let store = try await TestServer.makeStore(Self.options.value)
      try await expectBounded(
        Self.rowCount - Self.rowCount / 1_000, store.stream(Parcel.self, where: { $0.kind == "small" }))
    }

    @Test func `A stream with a condition that is tested in memory needs memory for few rows`() async throws {
      let store = try await TestServer.makeStore(Self.options.value)
      try await expectBounded(
        Self.rowCount / 1_000, store.stream(Parcel.self, where: { $0.kind.matches(/l.*/) }))
    }

    @Test(arguments: [false, true])
    func `A sorted stream needs memory for few rows`(isDescending: Bool) async throws {
      let store = try await TestServer.makeStore(Self.options.value)
      try await expectBounded(
        Self.rowCount,
        store.stream(Parcel.self, sort: [.ascending(\.kind), isDescending ? .descending(\.id) : .ascending(\.id)]))
    }

    @Test func `A sorted stream with a condition that is tested in memory needs memory for few rows`() async throws {
      let store = try await TestServer.makeStore(Self.options.value)
      try await expectBounded(
        Self.rowCount - Self.rowCount / 1_000,
        store.stream(Parcel.self, where: { $0.kind.matches(/s.*/) }, sort: [.descending(\.id)]))
    }

    @Test func `A stream of a derived class needs memory for few rows`() async throws {
      let store = try await TestServer.makeStore(Self.options.value)
      try await expectBounded(Self.rowCount / 1_000, store.stream(Freight.self))
    }
  }

  private class Parcel: Model {
    let id = Field<Int>()
    let kind = Field<String>()
    override var identifierField: AnyField? { id }
    override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
      dictionary["kind"] == .string("large") ? Freight.self : nil
    }
  }

  private final class Freight: Parcel {
    let weight = Field<Int>()
  }
#endif

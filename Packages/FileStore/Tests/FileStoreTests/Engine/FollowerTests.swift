import Foundation
@_spi(ModelKitInternals) import StoreProtocol
import StoreProtocolTesting
import Testing

@testable import FileStore

@Suite struct `A store that follows what another process writes` {
  private static let count = 4_500
  private static let deleted = 1...300

  /// A journal with models of which the first were deleted, so that compacting it gives the others new places.
  private func makeWriter(_ fileSystem: TracingFileSystem) throws -> ScriptedStore {
    let writer = try ScriptedStore(fileSystem, groups: [""], options: Journal.Options())
    try writer.journals[0].write(
      (1...Self.count).map { number in
        .create(ContractPerson.typeName, "\(number)", Array(#"{"age":\#(number % 100),"id":\#(number)}"#.utf8))
      })
    try writer.journals[0].write(Self.deleted.map { .delete(ContractPerson.typeName, "\($0)") })
    return writer
  }

  /// Returns a follower; during its read number `place` of the directory, another journal instance compacts the
  /// journal.
  private func makeFollower(_ fileSystem: TracingFileSystem, compactingAt place: Int) throws -> FileModelStore {
    let writer = Lock((try makeWriter(fileSystem), looks: 0))
    let hooked = HookedFileSystem(base: fileSystem) {
      writer.withLock { state in
        state.looks += 1
        if state.looks == place { #expect(throws: Never.self) { try state.0.journals[0].compact() } }
      }
    }
    var options = FileEngineOptions()
    options.isReadOnly = true
    let engine = FileEngine(directory: ScriptedStore.directory, options: options, fileSystem: hooked)
    return FileModelStore(
      FileStoreHandle(
        directory: URL(filePath: ScriptedStore.directory), options: FileStoreOptions(mode: .readOnly), engine: engine,
        feeds: FileChangeFeeds()))
  }

  private let expected = Array(Self.deleted.upperBound + 1...Self.count)

  @Test(arguments: 2...9)
  func `A store that follows another process lists each model once while the journal is compacted`(place: Int)
    async throws
  {
    let follower = try makeFollower(TracingFileSystem(), compactingAt: place)
    #expect(try await follower.list(ContractPerson.self).map { $0.id.value ?? 0 } == expected)
    #expect(try await follower.identifiers(ModelQuery(ContractPerson.self)) == expected.map(String.init))
    try await follower.close()
  }

  @Test func `A store that follows another process exports all models although the journal is compacted meanwhile`()
    async throws
  {
    let fileSystem = TracingFileSystem()
    let writer = try makeWriter(fileSystem)
    var options = FileEngineOptions()
    options.isReadOnly = true
    let engine = FileEngine(directory: ScriptedStore.directory, options: options, fileSystem: fileSystem)
    var pieces = 0
    let count = try await engine.exportJSON(to: "/people.json") { _ in
      pieces += 1
      guard pieces == 1 else { return }
      #expect(throws: Never.self) { try writer.journals[0].compact() }
      // Another call of the follower notices it.
      let isFollowed = DispatchSemaphore(value: 0)
      let isSent = engine.service.send(
        .command { writer in
          #expect(throws: Never.self) { try writer.followAll() }
          isFollowed.signal()
        })
      if isSent { isFollowed.wait() }
    }
    #expect(count == expected.count)
    #expect(pieces == 2)
    try await engine.close()
  }

  @Test(arguments: 2...9)
  func `A store that follows another process finds each model once while the journal is compacted`(place: Int)
    async throws
  {
    let follower = try makeFollower(TracingFileSystem(), compactingAt: place)
    let found = try await follower.list(ContractPerson.self, where: { $0.age >= 50 }, sort: [.descending(\.id)])
    #expect(found.map { $0.id.value ?? 0 } == expected.filter { $0 % 100 >= 50 }.reversed())
    try await follower.close()
  }

  @Test(arguments: 2...9)
  func `A store that follows another process has each model once in live results while the journal is compacted`(
    place: Int
  ) async throws {
    let follower = try makeFollower(TracingFileSystem(), compactingAt: place)
    var iterator = follower.observe(ContractPerson.self, where: { $0.age >= 50 }).makeAsyncIterator()
    let result = try #require(await iterator.next())
    #expect(result.error == nil)
    #expect(result.models.map { $0.id.value ?? 0 } == expected.filter { $0 % 100 >= 50 })
    try await follower.close()
  }

  @Test func `A store that follows another process restarts a list that was replaced`() async throws {
    try await withTemporaryDirectory { (directory: String) in
      let writer = FileEngine(directory: directory)
      try await writer.write((1...100).map { .create("Note", "\($0)", Array("{}".utf8)) })
      try await writer.write((1...10).map { .delete("Note", "\($0)") })
      var options = FileEngineOptions()
      options.isReadOnly = true
      let reader = FileEngine(directory: directory, options: options)
      let next = try #require(try await reader.readChunk("Note", limit: 20).next)
      #expect(try await reader.readChunk("Note", after: next, limit: 20).rows.first?.identifier == "31")
      try await writer.compact()
      await #expect(throws: RecordsWereReplaced.self) { try await reader.readChunk("Note", after: next) }
      #expect(try await reader.readChunk("Note").rows.map(\.identifier) == (11...100).map { "\($0)" })
      try await reader.close()
      try await writer.close()
    }
  }
}

import Foundation
import StoreProtocolTesting
import Testing

@testable import FileStore
@_spi(ModelKitInternals) @testable import StoreProtocol

@Suite(.timeLimit(.minutes(30))) struct `Observers of a store that was opened for reading only` {
  private let clock = ManualClock()
  private let looks = Lock(0)

  private func follower(_ directory: URL) -> FileModelStore {
    let fileSystem = HookedFileSystem(base: PosixFileSystem()) { [looks] in looks.withLock { $0 += 1 } }
    return FileModelStore(
      FileStoreHandle(
        directory: directory, options: FileStoreOptions(mode: .readOnly), fileSystem: fileSystem, clock: clock))
  }

  private func writer(_ directory: URL) -> FileModelStore {
    FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
  }

  private func person(_ name: String, _ age: Int) -> ContractPerson {
    let person = ContractPerson()
    (person.name.value, person.age.value) = (name, age)
    return person
  }

  /// Lets the follower see that its time has come, and returns when it has looked.
  private func pass(_ store: FileModelStore) async throws {
    clock.advance(by: .seconds(1))
    // Due work is done after the jobs that were queued together, so before the second of these.
    for _ in 0..<2 { try await store.handle.engine.writing {} }
  }

  @Test(arguments: [false, true])
  func `Observers of a read-only store get the changes of another process, without a call of list`(isFiltered: Bool)
    async throws
  {
    try await withTemporaryDirectory { (directory: URL) in
      let writer = writer(directory), follower = follower(directory)
      let ada = try await writer.create(person("Ada", 36))
      var iterator =
        isFiltered
        ? follower.observe(ContractPerson.self, where: { $0.age > 30 }, sort: [.ascending(\.name)]).makeAsyncIterator()
        : follower.observe(ContractPerson.self).makeAsyncIterator()
      let first = try #require(await iterator.next())
      #expect(first.models.map(\.name.value) == ["Ada"])
      /// The names once they are these: what was written just before may come by itself first.
      func names(_ expected: [String]) async throws -> LiveResult<ContractPerson>? {
        try await pass(follower)
        while let result = await iterator.next() {
          #expect(result.error == nil)
          if result.models.compactMap(\.name.value) == expected { return result }
        }
        return nil
      }
      let bob = try await writer.create(person("Bob", 40))
      #expect(try await names(["Ada", "Bob"])?.models.first === first.models.first)
      ada.name.value = "Augusta"
      try await writer.update(ada)
      #expect(try await names(["Augusta", "Bob"])?.models.first === first.models.first)
      try await writer.compact()
      try await writer.delete(bob)
      #expect(try await names(["Augusta"]) != nil)
      try await writer.transaction { store in
        try await store.create(person("Cleo", 50))
        try await store.delete(ada)
      }
      #expect(try await names(["Cleo"]) != nil)
      try await follower.close()
      #expect(await iterator.next() == nil)
      try await writer.close()
    }
  }

  @Test func `Observers of a read-only store get each commit of another process as one batch, and live models follow`()
    async throws
  {
    try await withTemporaryDirectory { (directory: URL) in
      let writer = writer(directory), follower = follower(directory)
      let ada = try await writer.create(person("Ada", 36))
      let ours = try await follower.lookup(ContractPerson.self, identifier: "1")
      var iterator = follower.changes(of: ContractPerson.self).makeAsyncIterator()
      ada.age.value = 37
      try await writer.update(ada)
      try await pass(follower)
      #expect(await iterator.next()?.map(\.kind) == [.updated])
      #expect(ours.age.value == 37)
      try await writer.createAll([person("Bob", 1), person("Cleo", 2)])
      try await writer.delete(ada)
      try await pass(follower)
      #expect(await iterator.next()?.map(\.identifier) == ["2", "3"])
      #expect(await iterator.next()?.map(\.self) == [.deleted(identifier: "1")])
      try await follower.close()
      try await writer.close()
    }
  }

  @Test
  func `Observers of a store that was opened for reading only get models once another process has made the store`()
    async throws
  {
    try await withTemporaryDirectory { (directory: URL) in
      let writer = writer(directory), follower = follower(directory)
      var iterator = follower.observe(ContractPerson.self).makeAsyncIterator()
      #expect(await iterator.next()?.error?.code == .inputOutput)
      try await writer.create(person("Ada", 36))
      try await pass(follower)
      #expect(await iterator.next()?.models.map(\.name.value) == ["Ada"])
      try await follower.close()
      try await writer.close()
    }
  }

  @Test func `Observers of a store that another call has opened since get its models`() async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let writer = writer(directory), follower = follower(directory)
      var iterator = follower.observe(ContractPerson.self).makeAsyncIterator()
      #expect(await iterator.next()?.error?.code == .inputOutput)
      try await writer.create(person("Ada", 36))
      #expect(try await follower.count(ContractPerson.self) == 1)
      #expect(await iterator.nextIfReady()?.models.map(\.name.value) == ["Ada"])
      try await follower.close()
      try await writer.close()
    }
  }

  @Test func `Observers of a store that was opened for reading only cost nothing once they are gone`() async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let writer = writer(directory), follower = follower(directory)
      try await writer.create(person("Ada", 36))
      do {
        var iterator = follower.observe(ContractPerson.self).makeAsyncIterator()
        _ = await iterator.next()
        let before = looks.withLock { $0 }
        try await pass(follower)
        #expect(looks.withLock { $0 } > before)
      }
      try await pass(follower)
      let before = looks.withLock { $0 }
      for _ in 0..<5 { try await pass(follower) }
      #expect(looks.withLock { $0 } == before)
      try await follower.close()
      try await writer.close()
    }
  }
}

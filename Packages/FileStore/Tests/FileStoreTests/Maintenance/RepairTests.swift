import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol
import StoreProtocolTesting
import Testing

@testable import FileStore

@Suite struct `A repair of a file store` {
  private final class Book: Model {
    let id = Field<String>()
    let title = Field<String>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Book" }
  }

  private func book(_ identifier: String, _ title: String) -> Book {
    let book = Book()
    book.id.value = identifier
    book.title.value = title
    return book
  }

  private func segment(_ directory: URL) -> URL { directory.appending(path: "groups/@default/000001.journal") }

  /// Changes the first byte of a text in a file.
  private func damage(_ text: String, in file: URL) throws {
    var data = try Data(contentsOf: file)
    let range = try #require(data.range(of: Data(text.utf8)))
    data[range.lowerBound] ^= 1
    let handle = try FileHandle(forWritingTo: file)
    try handle.seek(toOffset: UInt64(range.lowerBound))
    try handle.write(contentsOf: data[range.lowerBound..<range.lowerBound + 1])
    try handle.close()
  }

  @Test func `A repair of an intact file store changes nothing`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      try await store.create(book("1", "Emma"))
      let before = try Data(contentsOf: segment(directory))
      let repair = try await store.repair()
      #expect(repair.losses == [])
      #expect(repair.quarantine == nil)
      #expect(repair.recoveredCount == 1)
      #expect(try Data(contentsOf: segment(directory)) == before)
      try await store.close()
    }
  }

  @Test(arguments: [false, true])
  func `A repair of a file store keeps all that is readable, moves the rest aside, and names its models`(
    isReopened: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      var store = FileModelStore(directory: directory)
      try await store.create(book("1", "Emma"))
      let second = try await store.create(book("2", "Persuasion"))
      try await store.create(book("3", "Sanditon"))
      second.title.value = "Persuaded"
      try await store.update(second)
      try await store.create(book("4", "Lady Susan"))
      if isReopened { try await store.close() }
      try damage("Persuaded", in: segment(directory))
      try damage("Sanditon", in: segment(directory))
      if isReopened { store = FileModelStore(directory: directory) }
      try await store.index(\Book.title)

      let repair = try await store.repair()
      #expect(repair.losses.map(\.typeName) == ["Book", "Book"])
      #expect(Set(repair.losses.map(\.identifier)) == ["2", "3"])
      let lossOfTwo = try #require(repair.losses.first { $0.identifier == "2" })
      #expect(lossOfTwo.keptRevision == 1)
      #expect(lossOfTwo.issue.file.hasSuffix("000001.journal"))
      #expect(lossOfTwo.issue.offset > 0)
      #expect(repair.losses.first { $0.identifier == "3" }?.keptRevision == Optional<UInt64>.none)
      #expect(repair.recoveredCount == 3)
      #expect(repair.description.contains("no revision of it is left"))
      let quarantine = try String(contentsOf: try #require(repair.quarantine), encoding: .utf8)
      #expect(quarantine.contains("ersuaded"))
      #expect(quarantine.contains("anditon"))

      func check(_ store: FileModelStore) async throws {
        let books = try await store.list(Book.self)
        #expect(books.map(\.id.value) == ["1", "2", "4"])
        #expect(books.map(\.title.value) == ["Emma", "Persuasion", "Lady Susan"])
        #expect(try await store.verify() == [])
      }
      let instance = FileModelStore(store.handle)
      try await check(instance)
      #expect(try await instance.identifiers(ModelQuery(Book.self, where: { $0.title == "Persuasion" })) == ["2"])
      #expect(try await instance.identifiers(ModelQuery(Book.self, where: { $0.title == "Persuaded" })) == [])
      try await instance.create(book("5", "Love"))
      try await instance.delete(try await instance.lookup(Book.self, identifier: "5"))
      try await store.compact()
      #expect(try await store.repair().losses == [])
      try await store.close()
      let again = FileModelStore(directory: directory)
      #expect(try await again.open() == [])
      try await check(again)
      try await again.close()
    }
  }

  @Test(arguments: [false, true])
  func `Errors about damage recommend a repair of a file store, and name the model and the position`(
    isReopened: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      var store = FileModelStore(directory: directory)
      try await store.create(book("1", "Emma"))
      try await store.create(book("2", "Persuasion"))
      if isReopened { try await store.close() }
      try damage("Persuasion", in: segment(directory))
      if isReopened { store = FileModelStore(directory: directory) }
      var errors: [ModelStoreError?] = []
      errors.append(await #expect(throws: ModelStoreError.self) { try await store.compact() })
      if !isReopened {
        errors += [
          await #expect(throws: ModelStoreError.self) { _ = try await store.list(Book.self) },
          await #expect(throws: ModelStoreError.self) {
            _ = try await store.list(Book.self, where: { $0.title == "Emma" })
          },
          await #expect(throws: ModelStoreError.self) { _ = try await store.lookup(Book.self, identifier: "2") },
        ]
        #expect(errors.dropFirst().allSatisfy { $0?.identifier == "2" })
        for error in errors.dropFirst() {
          #expect(error?.message.hasPrefix("The stored Book \"2\" can't be read: ") == true)
        }
      }
      for error in errors {
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("000001.journal' is damaged at offset") == true)
        #expect(error?.message.contains("repair() keeps them") == true)
      }
      try await store.repair()
      try await store.compact()
      #expect(try await store.list(Book.self).map(\.id.value) == ["1"])
      try await store.close()
    }
  }

  @Test func `After a repair of a file store, store instances update the models that they had read`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory)
      let emma = try await store.create(book("1", "Emma"))
      emma.title.value = "Emma Woodhouse"
      try await store.update(emma)
      #expect(try await store.lookup(Book.self, identifier: "1").title.value == "Emma Woodhouse")
      try damage("Emma Woodhouse", in: segment(directory))
      try await store.repair()
      #expect(try await store.lookup(Book.self, identifier: "1").title.value == "Emma")
      try await store.close()
    }
  }

  @Test func `A repair of a file store of a damaged manifest writes it again`() async throws {
    try await withTemporaryDirectory { directory in
      let first = FileModelStore(directory: directory)
      try await first.create(book("1", "Emma"))
      try await first.close()
      try damage("version", in: directory.appending(path: "manifest.json"))
      let store = FileModelStore(directory: directory)
      #expect(try await store.open().count == 1)
      let repair = try await store.repair()
      #expect(repair.losses.map(\.issue.file) == [directory.appending(path: "manifest.json").path])
      try await store.close()
      #expect(try await FileModelStore(directory: directory).open() == [])
    }
  }

  @Test func `A repair of a file store of a store for reading only is refused`() async throws {
    try await withTemporaryDirectory { directory in
      let writer = FileModelStore(directory: directory)
      try await writer.create(book("1", "Emma"))
      let reader = FileModelStore(directory: directory, options: FileStoreOptions(mode: .readOnly))
      let error = await #expect(throws: ModelStoreError.self) { try await reader.repair() }
      #expect(error?.code == .unsupported)
      try await reader.close()
      try await writer.close()
    }
  }
}

@Suite struct `A repair that fails` {
  private func change(_ identifier: Int, _ name: String) -> Change {
    .create(ContractPerson.typeName, "\(identifier)", Array(#"{"id":\#(identifier),"name":"\#(name)"}"#.utf8))
  }

  private func damageSecond(in fileSystem: TracingFileSystem) throws {
    let file = try fileSystem.open("/store/groups/@default/000001.journal", .readWrite)
    let text = String(decoding: try file.contents(), as: UTF8.self)
    let range = try #require(text.range(of: "\"n2\""))
    try file.writeFully([0x58], at: UInt64(text.distance(from: text.startIndex, to: range.lowerBound) + 1))
  }

  @Test(arguments: [ENOSPC, EMFILE])
  func `A repair that fails keeps unique values unique, whichever call it is`(code: Int32) async throws {
    var call = 0
    var isDone = false
    while !isDone {
      let fileSystem = TracingFileSystem()
      let engine = FileEngine.simulated(on: fileSystem)
      for number in 1...5 { try await engine.write([change(number, "n\(number)")]) }
      let store = FileModelStore(
        FileStoreHandle(
          directory: URL(filePath: "/store"), options: FileStoreOptions(), engine: engine, feeds: FileChangeFeeds()))
      try await store.index(\ContractPerson.name, unique: true)
      try damageSecond(in: fileSystem)
      let start = fileSystem.callCount
      fileSystem.setFault(.init(kind: .error(code), calls: start + call..<start + call + 1))
      _ = try? await engine.repair()
      isDone = fileSystem.callCount <= start + call
      fileSystem.setFault(nil)
      await #expect(throws: FileEngineError.self, "call \(call)") { try await engine.write([change(6, "n5")]) }
      try? await engine.close()
      call += 1
    }
    #expect(call > 10)
  }

  @Test func `A type that is first used during a repair stays known`() async throws {
    let fileSystem = TracingFileSystem()
    let whenRead = Lock<(@Sendable () -> Void)?>(nil)
    var hooked = HookedFileSystem(base: fileSystem)
    hooked.willRead = { _, _ in
      let action = whenRead.withLock { action in
        defer { action = nil }
        return action
      }
      action?()
    }
    let engine = FileEngine.simulated(on: hooked)
    for number in 1...5 { try await engine.write([change(number, "n\(number)")]) }
    let contents = try await engine.contents()
    let used = Lock<(state: WriteState, integer: Int?)?>(nil)
    try damageSecond(in: fileSystem)
    whenRead.withLock { action in
      action = {
        let found = contents.withIndex { index in
          let type = index.intern("New")
          return (index.states[type], index.reserveInteger(type: type))
        }
        used.withLock { $0 = found }
      }
    }
    #expect(try await engine.repair().losses.count == 1)
    let (state, integer) = try #require(used.withLock { $0 })
    #expect(integer == 1)
    #expect(try await engine.reserveIntegerIdentifier("New") == 2)
    let last = state.lastWrite
    try await engine.write([.create("New", "3", Array("{}".utf8))])
    #expect(state.lastWrite != last)
    try await engine.close()
  }

  @Test func `A repair that fails leaves the damage known, whichever call it is`() async throws {
    var call = 0
    var isDone = false
    while !isDone {
      let fileSystem = TracingFileSystem()
      let writer = FileEngine.simulated(on: fileSystem)
      for number in 1...5 { try await writer.write([change(number, "n\(number)")]) }
      try await writer.close()
      try damageSecond(in: fileSystem)
      let engine = FileEngine.simulated(on: fileSystem)
      #expect(try await engine.open().count == 1)
      let start = fileSystem.callCount
      fileSystem.setFault(.init(kind: .error(EIO), calls: start + call..<start + call + 1))
      _ = try? await engine.repair()
      isDone = fileSystem.callCount <= start + call
      fileSystem.setFault(nil)
      let isRepaired = fileSystem.image.files.keys.contains { $0.hasSuffix("compacted.journal") }
      if !isRepaired {
        #expect(try await engine.contents().loss(of: ContractPerson.typeName, "2") != nil, "call \(call)")
      }
      #expect(isRepaired || !isDone)
      try? await engine.close()
      call += 1
    }
    #expect(call > 10)
  }
}

@Suite struct `A repaired journal` {
  @Test func `A journal that is repaired is after a crash at any call as it was or as it is to be`() throws {
    let path = JournalScript.folder + "/000001.journal"
    func makeDamaged() throws -> FaultyFileSystem {
      let fileSystem = FaultyFileSystem()
      let journal = try Journal.scripted(fileSystem)
      for number in 1...6 { try journal.write([.create("Book", "\(number)", JournalScript.json("\(number)"))]) }
      try journal.write([.update("Book", "2", JournalScript.json("lost"))])
      try journal.write([.delete("Book", "5")])
      try journal.close()
      var bytes = try #require(fileSystem.bytes(path))
      let text = Array("lost".utf8)
      let start = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
      bytes[start] ^= 4
      let disk = fileSystem.disk()
      disk.overwrite(path, with: bytes)
      return disk
    }
    let sound = try makeDamaged()
    let journal = try Journal.scripted(sound)
    let expected = try journal.snapshot()
    let before = sound.calls
    let repair = try journal.repair()
    #expect(repair.losses.map(\.identifier) == ["2"])
    #expect(try journal.snapshot() == expected)
    let calls = sound.calls - before
    for call in 1...calls + 1 {
      let disk = try makeDamaged()
      let damaged = try Journal.scripted(disk)
      disk.stop(at: disk.calls + call)
      _ = try? damaged.repair()
      for loss in [.dropped, .kept] as [FaultyFileSystem.Loss] {
        let again = try Journal.scripted(disk.disk(after: loss))
        #expect(try again.snapshot() == expected, "stopped at call \(call)")
      }
    }
  }
}

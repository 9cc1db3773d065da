import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol
import StoreProtocolTesting
import Testing

@testable import FileStore

@Suite struct `A unique index of a file store` {
  @Test(arguments: [false, true])
  func `A unique index stays unique although a plain one of the same field was built at the same time`(
    isUniqueFirst: Bool
  ) async throws {
    try await withTemporaryDirectory { (directory: URL) in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let person = ContractPerson()
      (person.name.value, person.age.value) = ("Ada", 36)
      try await store.create(person)
      let engine = store.handle.engine
      let contents = try await engine.contents()
      let type = ContractPerson.typeName
      let number = contents.withIndex { $0.intern(type) }
      let field = try StoredKeyPath(ContractPerson.self, key: "age", in: .standard)
      let start = CreationCursor(ordinal: 0, generation: contents.withIndex { $0.generation })
      // The second index reads the records before the first one is complete.
      let known = try contents.keys(ofType: number, field, after: start).keys
      let made = FieldIndex(
        field: field, isUnique: !isUniqueFirst,
        keys: OrderedIndex(known.map { (key: $0.key, place: Int($0.ordinal)) }))
      try await engine.index(type, field, isUnique: isUniqueFirst)
      try await engine.writing { try contents.add(made, type: number, name: type, known: known, since: start) }
      let other = ContractPerson()
      (other.name.value, other.age.value) = ("Grace", 36)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(other) }
      #expect(error?.code == .conflict)
      other.age.value = 37
      try await store.create(other)
      #expect(try await store.count(ContractPerson.self, where: { $0.age == 37 }) == 1)
      try await store.close()
    }
  }

  /// The ways in which the unique value of a model that can't be read becomes free.
  enum Release: CaseIterable {
    case deletion, update, deletionWithCreation, updateWithCreation
  }

  @Test(arguments: Release.allCases)
  func `The unique value of a damaged record can be taken once, after the record was deleted or updated`(
    release: Release
  ) async throws {
    func value(_ id: Int, _ name: String) -> [UInt8] { Array(#"{"id":\#(id),"name":"\#(name)"}"#.utf8) }
    func creation(_ id: Int, _ name: String) -> Change { .create(ContractPerson.typeName, "\(id)", value(id, name)) }
    let fileSystem = TracingFileSystem()
    let engine = FileEngine.simulated(on: fileSystem)
    for number in 1...5 { try await engine.write([creation(number, "n\(number)")]) }
    let store = FileModelStore(
      FileStoreHandle(
        directory: URL(filePath: "/store"), options: FileStoreOptions(), engine: engine, feeds: FileChangeFeeds()))
    try await store.index(\ContractPerson.name, unique: true)
    let file = try fileSystem.open("/store/groups/@default/000001.journal", .readWrite)
    let text = String(decoding: try file.contents(), as: UTF8.self)
    let range = try #require(text.range(of: "\"n2\""))
    try file.writeFully([0x58], at: UInt64(text.distance(from: text.startIndex, to: range.lowerBound) + 1))
    let deletion = Change.delete(ContractPerson.typeName, "2")
    let update = Change.update(ContractPerson.typeName, "2", value(2, "b"))
    switch release {
    case .deletion:
      try await engine.write([deletion])
      try await engine.write([creation(6, "n2")])
    case .update:
      try await engine.write([update])
      try await engine.write([creation(6, "n2")])
    case .deletionWithCreation: try await engine.write([deletion, creation(6, "n2")])
    case .updateWithCreation: try await engine.write([update, creation(6, "n2")])
    }
    await #expect(throws: FileEngineError.self) { try await engine.write([creation(7, "n2")]) }
    let report = try await store.explain(ModelQuery(ContractPerson.self, where: { $0.name == "n2" }))
    #expect(report.matchCount == 1 && report.readCount == 1)
    try await store.close()
  }
}

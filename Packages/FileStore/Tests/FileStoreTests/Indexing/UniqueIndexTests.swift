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
}

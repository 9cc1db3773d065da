import StoreEngine
import StoreProtocol
import Synchronization
import Testing

@testable import StoreProtocolTesting

@Suite struct `An engine with indexes in memory` {
  private func makeStore() async throws -> IndexedStore {
    let store = IndexedStore(IndexedEngine())
    for age in 1...40 { try await store.create(ContractPerson.named("Person \(age)", age: age)) }
    return store
  }

  @Test(arguments: ModelStoreContract.checks)
  func `A store over an engine with indexes keeps the whole contract`(check: ModelStoreContract.Check) async throws {
    try await check.run {
      let store = IndexedStore(IndexedEngine())
      try store.index(ContractPerson.self) { $0.age }
      try store.index(ContractPerson.self) { $0.name }
      return store
    }
  }

  @Test func `A query reads the matches of an index`() async throws {
    let store = try await makeStore()
    try store.index(ContractPerson.self) { $0.age }
    let query = ModelQuery(ContractPerson.self, where: { $0.age > 35 })
    let report = try await store.explain(query)
    #expect(report.plan.usedIndexes == ["age"])
    #expect(report.readCount == 5)
    #expect(try await store.list(query).map(\.age.value) == [36, 37, 38, 39, 40])
    #expect(try await store.count(query) == 5)
  }

  @Test func `An index has the records that are written later, and not those that are deleted`() async throws {
    let store = try await makeStore()
    try store.index(ContractPerson.self) { $0.age }
    let people = try await store.list(ContractPerson.self, where: { $0.age > 38 })
    people[0].age.value = 1
    try await store.update(people[0])
    try await store.delete(people[1])
    #expect(try await store.list(ContractPerson.self, where: { $0.age > 37 }).map(\.age.value) == [38])
    #expect(try await store.list(ContractPerson.self, where: { $0.age == 1 }).count == 2)
  }

  @Test func `A snapshot keeps the indexes of its moment`() async throws {
    let store = try await makeStore()
    try store.index(ContractPerson.self) { $0.age }
    let before = store.handle.snapshot(pinned: true)
    try await store.deleteAll(ContractPerson.self)
    #expect(before.count(ContractPerson.typeName) == 40)
    #expect(try await store.count(ModelQuery(ContractPerson.self, where: { $0.age > 0 })) == 0)
  }

  @Test func `A unique index rejects a value that another record has`() async throws {
    let store = try await makeStore()
    try store.index(ContractPerson.self, isUnique: true) { $0.age }
    let error = await #expect(throws: ModelStoreError.self) {
      _ = try await store.create(ContractPerson.named("Twin", age: 7))
    }
    #expect(error?.code == .conflict)
    #expect(error?.fields.keys.sorted() == ["age"])
    #expect(try await store.count(ModelQuery(ContractPerson.self)) == 40)
    try await store.create(ContractPerson.named("Ageless"))
    try await store.create(ContractPerson.named("Ageless, too"))
  }

  @Test func `A transaction exchanges the values of a unique index`() async throws {
    let store = try await makeStore()
    try store.index(ContractPerson.self, isUnique: true) { $0.age }
    try await store.updateAll(ContractPerson.self, where: { $0.age < 3 }) { $0.age.value = $0.age.value == 1 ? 2 : 1 }
    #expect(try await store.list(ContractPerson.self, where: { $0.age == 1 }).map(\.name.value) == ["Person 2"])
  }

  @Test func `A unique index is not created if two records have the same value`() async throws {
    let store = try await makeStore()
    try await store.create(ContractPerson.named("Twin", age: 7))
    let error = #expect(throws: ModelStoreError.self) {
      try store.index(ContractPerson.self, isUnique: true) { $0.age }
    }
    #expect(error?.code == .conflict)
    #expect(error?.message.hasPrefix("No unique index of \"age\" was created") == true)
  }

  @Test(arguments: TestEffort.seeds(5))
  func `A store with indexes finds the same models as one without, after random writes`(seed: UInt64) async throws {
    var random = RandomSource(seed: seed)
    let (indexed, plain) = (IndexedStore(IndexedEngine()), IndexedStore(IndexedEngine()))
    try indexed.index(ContractPerson.self) { $0.age }
    try indexed.index(ContractPerson.self) { $0.name }
    for number in 1...120 {
      let (age, name) = (random.maybe { $0.below(10) }, random.pick(["Ada", "Bob", "Cy"]))
      let identifier = random.below(number) + 1
      for store in [indexed, plain] {
        let people = try await store.list(ContractPerson.self)
        if let person = people.first(where: { $0.id.value == identifier }), number.isMultiple(of: 3) {
          try await store.delete(person)
        } else if let person = people.first(where: { $0.id.value == identifier }) {
          (person.age.value, person.name.value) = (age, name)
          try await store.update(person)
        } else {
          let person = ContractPerson.named(name, age: age)
          person.id.value = identifier
          try await store.create(person)
        }
      }
      let (least, limit, offset) = (random.below(10), random.below(5) + 1, random.below(3))
      var found: [[String?]] = []
      for store in [indexed, plain] {
        let people = try await store.list(
          ContractPerson.self, where: { $0.age >= least || $0.name == name }, sort: [.ascending { $0.age }],
          limit: limit, offset: offset)
        let count = try await store.count(ContractPerson.self) { $0.age == least }
        found.append(people.map(\.identifier) + ["\(count)"])
      }
      #expect(found[0] == found[1], "seed \(seed), step \(number)")
    }
  }
}

private final class IndexedStore: RecordStore<IndexedEngine>, TransactionalModelStore {
  func index(_ type: ContractPerson.Type, isUnique: Bool = false, _ field: (ContractPerson) -> AnyField?) throws {
    try handle.index(type.typeName, StoredKeyPath(type, field, in: scope.transformers), isUnique: isUnique)
  }
}

private final class IndexedEngine: RecordEngine {
  struct Table {
    var records: [StoredRecord] = []
    var indexes = StoredIndexes()

    func index(_ identifier: String) -> Int? {
      records.firstIndex { $0.identifier.utf8.elementsEqual(identifier.utf8) }
    }
  }

  struct Tables: RecordSnapshot {
    var tables: [String: Table] = [:]
    var integers: [String: Int] = [:]
    var writes: UInt64 = 0

    func record(_ type: String, _ identifier: String) -> StoredRecord? {
      tables[type].flatMap { table in table.index(identifier).map { table.records[$0] } }
    }

    func records(_ type: String, after order: UInt64, atMost limit: Int) -> RecordPart {
      RecordPart(tables[type]?.records.filter { $0.order > order } ?? [], next: nil)
    }

    func count(_ type: String) -> Int { tables[type]?.records.count ?? 0 }

    func indexes(of type: String) -> RecordIndexes<[UInt8]>? {
      guard let table = tables[type] else { return nil }
      return table.indexes.records { order in table.records.first { $0.order == order } }
    }

    mutating func apply(_ operation: RecordOperation) {
      writes += 1
      var table = tables.removeValue(forKey: operation.type) ?? Table()
      let index = table.index(operation.identifier)
      let old = index.map { table.records.remove(at: $0) }
      var new: StoredRecord?
      if operation.operation != .delete {
        let order = old?.order ?? writes
        let record = StoredRecord(operation.identifier, Array(operation.value), order: order, revision: writes)
        table.records.insert(record, at: index ?? table.records.count)
        integers[operation.type] = max(integers[operation.type] ?? 0, Int(operation.identifier) ?? 0)
        new = record
      }
      table.indexes.replace(old, with: new)
      tables[operation.type] = table
    }
  }

  let changeFeed = StoreChangeFeed()
  let conflictTrackers = ConflictTrackers()
  private let tables = Mutex(Tables())

  func snapshot(pinned: Bool) -> Tables { tables.withLock { $0 } }

  func nextInteger(for type: String) -> Int? {
    tables.withLock { tables in
      tables.integers[type, default: 0] += 1
      return tables.integers[type]
    }
  }

  func ensureIndex(_ type: String, _ field: StoredKeyPath) throws { try index(type, field, isUnique: false) }

  func index(_ type: String, _ field: StoredKeyPath, isUnique: Bool) throws {
    try tables.withLock { tables in
      let records = tables.tables[type]?.records ?? []
      try tables.tables[type, default: Table()].indexes.add(field, isUnique: isUnique, records: records)
    }
  }

  func commit(_ batch: RecordBatch) throws {
    try tables.withLock { tables in
      try batch.validate { tables.record($0, $1)?.revision }
      var changed = tables
      for operation in batch.operations { changed.apply(operation) }
      for operation in batch.operations {
        guard let record = changed.record(operation.type, operation.identifier) else { continue }
        try changed.tables[operation.type]?.indexes.validate(record)
      }
      conflictTrackers.note(batch.operations)
      tables = changed
      changeFeed.append(batch.changes)
    }
    changeFeed.deliver()
  }
}

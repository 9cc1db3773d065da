import Foundation
import ModelKit
import Testing

private final class Ledger: Model {
  @Field var id: Int?
  @Field var count: Int?
  @Field var share: Double?
  @Field var text: String?
  @Field var amount: Decimal?
  @Field var day: Day?
  override var identifierField: AnyField? { $id }

  func fill(_ random: inout some RandomNumberGenerator) {
    func maybe<Value>(_ values: [Value]) -> Value? {
      Bool.random(using: &random) ? values.randomElement(using: &random) : nil
    }
    count = maybe([-3, 0, 5, .max, .min])
    share = maybe([-0.0, 0, 1.5, -2e10, .greatestFiniteMagnitude])
    text = maybe(["", "Z", "a", "ab", "9", "10"])
    amount = maybe(["-12.5", "0.1", "0.1000000000000000001", "9007199254740993", "1e30"])
      .flatMap { Decimal(string: $0) }
    day = maybe([Day(1900, 3, 1), Day(2024, 2, 29), Day(2026, 10, 1)])
  }
}

extension `The events of stores` {
  private func withStores(_ body: (any ModelStore & TransactionalModelStore) async throws -> Void) async throws {
    let memory = MemoryModelStore()
    try memory.index(\Ship.length)
    try await body(memory)
    let directory = URL.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    let files = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
    try await files.index(\Ship.length)
    try await body(files)
    try await files.close()
  }

  private func fill(_ store: some ModelStore) async throws {
    try await store.createAll(
      (1...1_000).map { number -> Ship in
        let ship = Ship()
        (ship.id, ship.name) = (number, "Ship \(number % 7)")
        if number % 10 > 0 { ship.length = number % 50 }
        return ship
      })
  }

  @Test func `An index has the least and the greatest value, and the records are not read`() async throws {
    try await withStores { store in
      try await fill(store)
      let events = try await EventLog().record("Ship") {
        #expect(try await store.minimum(Ship.self, of: \.length) == 1)
        #expect(try await store.maximum(Ship.self, of: \.length) == 49)
        let shorter = try await store.maximum(Ship.self, of: \.length, where: { $0.length < 40 })
        #expect(shorter == 39)
        let longer = try await store.minimum(Ship.self, of: \.length, where: { $0.length > 49 })
        #expect(longer == nil)
      }
      #expect(events.compactMap(\.report?.readCount) == [1, 1, 1, 0], "\(events)")
      #expect(events.allSatisfy { $0.report?.plan.usedIndexes == ["length"] })
    }
  }

  @Test func `An index has the number of different values, and no record is read`() async throws {
    try await withStores { store in
      try await fill(store)
      let events = try await EventLog().record("Ship") {
        let found = try await store.count(Ship.self, distinct: \.length)
        #expect(found == 45)
      }
      #expect(events.compactMap(\.report?.readCount) == [0], "\(events)")
      #expect(events.allSatisfy { $0.report?.plan.usedIndexes == ["length"] })
    }
  }

  @Test func `A condition about another field, and writes of a transaction, are not left out`() async throws {
    try await withStores { store in
      try await fill(store)
      let named = try await store.minimum(Ship.self, of: \.length, where: { $0.name == "Ship 0" && $0.id > 10 })
      #expect(named == 1)
      let short = try await store.count(Ship.self, distinct: \.length, where: { $0.length < 3 })
      #expect(short == 2)
      try await change(in: store)
      #expect(try await store.minimum(Ship.self, of: \.length) == -5)
    }
  }

  private func change(in store: some TransactionalModelStore) async throws {
    try await store.transaction { store in
      let ship = Ship()
      (ship.id, ship.length) = (5_000, -5)
      try await store.create(ship)
      #expect(try await store.minimum(Ship.self, of: \.length) == -5)
      #expect(try await store.count(Ship.self, distinct: \.length) == 46)
    }
  }

  @Test func `A deletion has one event, even if delete rules read other models`() async throws {
    try await withStores { store in
      try await store.create(Ship())
      let (port, quay) = (Port(), Quay())
      (port.id, quay.id, quay.port) = (1, 2, port)
      try await store.create(port)
      try await store.create(quay)
      let events = EventList()
      ModelStoreEvent.handler = { if $0.subject != "Ship" { events.append($0) } }
      defer { ModelStoreEvent.handler = nil }
      try await store.delete(port)
      let operations = events.all.filter { ["Port", "Quay"].contains($0.subject) }.map(\.operation)
      #expect(operations == [.delete], "\(events.all)")
      #expect(try await store.count(Quay.self) == 0)
    }
  }

  @Test func `The transaction of a refused replaceAll has the code of its error`() async throws {
    let store = MemoryModelStore()
    let (ship, other) = (Ship(), Ship())
    (ship.id, other.id) = (1, 1)
    try await store.create(ship)
    let events = EventList()
    ModelStoreEvent.handler = { if $0.operation == .transaction { events.append($0) } }
    defer { ModelStoreEvent.handler = nil }
    let error = await #expect(throws: ModelStoreError.self) { try await store.replaceAll(Ship.self, with: [other]) }
    #expect(error?.code == .conflict)
    #expect(events.all.map(\.errorCode).contains(.conflict))
    #expect(!events.all.map(\.errorCode).contains(.server))
  }

  @Test func `A cancelled operation has an event in every store`() async throws {
    try await withStores { store in
      // It is awaited before the store is used again.
      nonisolated(unsafe) let store = store
      let events = try await EventLog().record("Ship") {
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          for read in [0, 1, 2] {
            await #expect(throws: ModelStoreError.self) {
              switch read {
              case 0: _ = try await store.list(Ship.self)
              case 1: _ = try await store.identifiers(ModelQuery(Ship.self))
              default: _ = try await store.lookup(Ship.self, identifier: "1")
              }
            }
          }
        }
        await task.value
      }
      #expect(events.map(\.errorCode) == [.cancelled, .cancelled, .cancelled], "\(events)")
    }
  }
}

private final class Port: Model {
  @Field var id: Int?
  let quays = ModelField<Quay>(deleteRule: .cascade)*
  override var identifierField: AnyField? { $id }
}

private final class Quay: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, inverse: \Port.quays) var port: Port?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Aggregates from indexes` {
  @Test(arguments: [1, 2, 3])
  func `Aggregates from indexes equal those of the values, after any writes`(seed: Int) async throws {
    let memory = MemoryModelStore()
    try memory.index(\Ledger.count)
    try memory.index(\Ledger.share)
    try memory.index(\Ledger.text)
    try memory.index(\Ledger.amount)
    try memory.index(\Ledger.day)
    try await check(memory, seed)
    let directory = URL.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    let files = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
    try await files.index(\Ledger.count)
    try await files.index(\Ledger.share)
    try await files.index(\Ledger.text)
    try await files.index(\Ledger.amount)
    try await files.index(\Ledger.day)
    try await check(files, seed)
    try await files.close()
  }

  private func check(_ store: some ModelStore, _ seed: Int) async throws {
    var random = SeededNumbers(state: UInt64(seed))
    var ledgers: [Ledger] = []
    for _ in 0..<60 {
      let ledger = Ledger()
      ledger.fill(&random)
      ledgers.append(try await store.create(ledger))
      if let changed = ledgers.randomElement(using: &random) {
        changed.fill(&random)
        try await store.save(changed)
      }
      if ledgers.count > 12, let index = ledgers.indices.randomElement(using: &random) {
        try await store.delete(ledgers.remove(at: index))
      }
      try await compare(store, { $0.count }, ledgers.map(\.count))
      try await compare(store, { $0.share }, ledgers.map(\.share))
      try await compare(store, { $0.text }, ledgers.map(\.text))
      try await compare(store, { $0.amount }, ledgers.map(\.amount))
      try await compare(store, { $0.day }, ledgers.map(\.day))
      let most = try await store.maximum(Ledger.self, of: \.amount, where: { $0.amount <= Decimal(1) })
      #expect(most == ledgers.compactMap(\.amount).filter { $0 <= 1 }.max())
    }
  }

  private func compare<Value: Comparable & Hashable>(
    _ store: some ModelStore, _ column: (ModelColumns<Ledger>) -> QueryColumn<Value>, _ values: [Value?]
  ) async throws {
    let known = values.compactMap { $0 }
    #expect(try await store.minimum(Ledger.self, of: column) == known.min())
    #expect(try await store.maximum(Ledger.self, of: column) == known.max())
    #expect(try await store.count(Ledger.self, distinct: column) == Set(known).count)
    let condition: (ModelColumns<Ledger>) -> QueryExpression = { $0.id > 5 }
    #expect(
      try await store.minimum(Ledger.self, of: column, where: condition)
        == store.values(Ledger.self, of: column, where: condition).compactMap { $0 }.min())
  }

  @Test func `Texts with equal letters and other scalars are different values`() async throws {
    let store = MemoryModelStore()
    try store.index(\Ledger.text)
    for text in ["Zo\u{EB}", "Zoe\u{308}", "Zo\u{EB}"] {
      let ledger = Ledger()
      ledger.text = text
      try await store.create(ledger)
    }
    #expect(try await store.count(Ledger.self, distinct: \.text) == 2)
  }
}

/// A reproducible sequence of numbers.
private struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}

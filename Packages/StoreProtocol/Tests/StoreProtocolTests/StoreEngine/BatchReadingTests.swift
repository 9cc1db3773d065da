import ModelCore
import StoreEngine
import StoreProtocol
import StoreProtocolTesting
import Synchronization
import Testing

class Vehicle: Model {
  let id = Field<Int>()
  let kind = Field<String>("vehicle")
  override var identifierField: AnyField? { id }
  override class func instanceClass(for record: AttributeDictionary) -> ModelObject.Type? {
    record["kind"]?.stringValue == "truck" ? Truck.self : Vehicle.self
  }
}

final class Truck: Vehicle {
  required init() {
    super.init()
    kind.value = "truck"
  }
}

final class Depot: Model {
  let id = Field<Int>()
  let vehicles = ModelField<Vehicle>(foreignKey: true)*
  override var identifierField: AnyField? { id }
}

@Suite struct `Related models of a store over an engine` {
  private func makeStore() async throws -> CountingStore {
    let engine = CountingEngine()
    let store = CountingStore(engine)
    for number in 0..<9 {
      let company = ContractCompany()
      (company.id.value, company.name.value) = ("c\(number)", "Company \(number)")
      try await store.create(company)
    }
    for number in 0..<40 {
      let person = ContractPerson()
      person.name.value = "\(number)"
      person.company.value = ContractCompany.with(identifier: "c\(number % 9)", in: store.scope)
      try await store.create(person)
    }
    return CountingStore(engine)
  }

  @Test func `Included models are read with one call of the engine`() async throws {
    let store = try await makeStore()
    store.handle.reset()
    let people = try await store.list(ContractPerson.self, including: [\.company])
    #expect(people.allSatisfy { $0.company.value?.name.value != nil })
    #expect(store.handle.counts.batches == 1)
    #expect(store.handle.counts.records == 0)
  }

  @Test func `A stream reads the models that it includes a hundred at a time`() async throws {
    let store = try await makeStore()
    store.handle.reset()
    var count = 0
    for try await person in store.stream(ContractPerson.self, including: [\.company]) {
      #expect(person.company.value?.name.value != nil)
      count += 1
    }
    #expect(count == 40)
    #expect(store.handle.counts.batches == 1)
    #expect(store.handle.counts.records == 0)
  }

  @Test func `Members of a class whose records name their class are read together`() async throws {
    let store = CountingStore(CountingEngine())
    for (number, vehicle) in [Vehicle(), Truck(), Vehicle(), Truck()].enumerated() {
      vehicle.id.value = number
      try await store.create(vehicle)
    }
    func create() async throws {
      let depot = Depot()
      depot.id.value = 1
      for number in [3, 0, 1] { depot.vehicles.add(Vehicle.with(identifier: "\(number)", in: store.scope)) }
      try await store.create(depot)
    }
    try await create()
    let fresh = CountingStore(store.handle)
    fresh.handle.reset()
    let depots = try await fresh.list(Depot.self, including: [\.vehicles])
    let vehicles = try #require(depots.first?.vehicles.value)
    #expect(vehicles.map(\.id.value) == [3, 0, 1])
    #expect(fresh.handle.counts.batches == 1)
    #expect(fresh.handle.counts.records == 0)
    #expect(try await fresh.list(in: depots[0].vehicles).map(\.id.value) == [3, 0, 1])
    #expect(fresh.handle.counts.batches == 2)
    #expect(fresh.handle.counts.records == 0)
  }
}

private final class CountingStore: RecordStore<CountingEngine>, TransactionalModelStore {}

/// An engine that counts the reads of single records, and of many together.
private final class CountingEngine: RecordEngine {
  struct Snapshot: RecordSnapshot {
    let shelves: ShelfEngine.Shelves
    let engine: CountingEngine

    func record(_ type: String, _ identifier: String) -> StoredRecord? {
      engine.reads.withLock { $0.records += 1 }
      return shelves.record(type, identifier)
    }

    func records(_ type: String, identifiers: [String]) -> RecordPart {
      engine.reads.withLock { $0.batches += 1 }
      return RecordPart(identifiers.reversed().compactMap { shelves.record(type, $0) }, next: nil)
    }

    func records(_ type: String, after order: UInt64, atMost limit: Int) -> RecordPart {
      shelves.records(type, after: order, atMost: limit)
    }

    func count(_ type: String) -> Int { shelves.count(type) }
  }

  private let base = ShelfEngine()
  private let reads = Mutex((records: 0, batches: 0))

  var counts: (records: Int, batches: Int) { reads.withLock { $0 } }
  func reset() { reads.withLock { $0 = (0, 0) } }

  var changeFeed: StoreChangeFeed { base.changeFeed }
  var conflictTrackers: ConflictTrackers { base.conflictTrackers }
  func nextInteger(for type: String) -> Int? { base.nextInteger(for: type) }
  func commit(_ batch: RecordBatch) throws { try base.commit(batch) }
  func snapshot(pinned: Bool) -> Snapshot { Snapshot(shelves: base.snapshot(pinned: pinned), engine: self) }
}

import Foundation
@_spi(ModelKitInternals) import MemoryStore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol
@_spi(ModelKitInternals) import StoreProtocolTesting
import Testing

@Suite struct `Columns of a memory store` {
  private final class Reading: Model {
    let id = Field<Int>()
    let number = Field<Int>()
    let level = Field<Double>()
    let kind = Field<String>()
    let note = Field<String>()
    override var identifierField: AnyField? { id }
  }

  private struct Values: Equatable {
    var number: Int?
    var level: Double?
    var kind: String?
    var note: String?

    init(_ random: inout RandomSource) {
      func chance(_ random: inout RandomSource) -> Bool { Int.random(in: 0..<4, using: &random) > 0 }
      number = chance(&random) ? Int.random(in: -9...9, using: &random) : nil
      level = chance(&random) ? Double(Int.random(in: 0...8, using: &random)) / 2 : nil
      kind = chance(&random) ? ["a", "b", "ä", ""].randomElement(using: &random) : nil
      note = chance(&random) ? "\"note\" \(Int.random(in: 0...9_999, using: &random))" : nil
    }

    func write(to reading: Reading) {
      reading.number.value = number
      reading.level.value = level
      reading.kind.value = kind
      reading.note.value = note
    }
  }

  private struct Failure: Error {}

  @Test(arguments: TestEffort.seeds(6))
  func `Columns of a memory store find after each write what plain Swift finds`(seed: UInt64) async throws {
    var random = RandomSource(seed: seed)
    let store = MemoryModelStore()
    var values: [Int: Values] = [:]
    // So many texts that a column keeps their bytes.
    for id in 0..<5_000 where seed.isMultiple(of: 3) || id < 20 { values[id] = Values(&random) }
    let readings = values.sorted { $0.key < $1.key }.map { id, values in
      let reading = Reading()
      reading.id.value = id
      values.write(to: reading)
      return reading
    }
    try await store.createAll(readings)
    var next = 5_000
    func write(_ count: Int, _ store: some ModelStore, _ values: inout [Int: Values]) async throws {
      for _ in 0..<count {
        let change = Values(&random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8:
          let reading = Reading()
          reading.id.value = next
          change.write(to: reading)
          try await store.create(reading)
          values[next] = change
          next += 1
        case 8:
          guard let id = values.keys.sorted().randomElement(using: &random) else { continue }
          try await store.delete(try await store.lookup(Reading.self, identifier: "\(id)"))
          values[id] = nil
        default:
          guard let id = values.keys.sorted().randomElement(using: &random) else { continue }
          let reading = try await store.lookup(Reading.self, identifier: "\(id)")
          change.write(to: reading)
          try await store.save(reading)
          values[id] = change
        }
      }
    }
    for _ in 0..<60 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        var changed = values
        try? await store.transaction { store in
          try await write(3, store, &changed)
          throw Failure()
        }
      case 1:
        let snapshot = try store.snapshot()
        var changed = values
        try await write(2, store, &changed)
        try store.restore(snapshot)
      case 2: try await write(40, store, &values)
      default: try await write(1, store, &values)
      }
      let number = try await store.list(Reading.self, where: { $0.number > 2 }).compactMap(\.id.value)
      #expect(number.sorted() == values.filter { ($0.value.number ?? .min) > 2 }.keys.sorted())
      let kind = try await store.list(Reading.self, where: { $0.kind == "ä" && $0.level <= 2 }).compactMap(\.id.value)
      #expect(kind.sorted() == values.filter { $0.value.kind == "ä" && ($0.value.level ?? 9) <= 2 }.keys.sorted())
      let note = try await store.list(Reading.self, where: { $0.note.hasSuffix("7") }).compactMap(\.id.value)
      #expect(note.sorted() == values.filter { $0.value.note?.hasSuffix("7") ?? false }.keys.sorted())
      let empty = try await store.list(Reading.self, where: { $0.level == nil }).compactMap(\.id.value)
      #expect(empty.sorted() == values.filter { $0.value.level == nil }.keys.sorted())
      let sum = try await store.sum(Reading.self, of: \.number, where: { $0.kind == "a" })
      #expect(sum ?? 0 == values.values.filter { $0.kind == "a" }.compactMap(\.number).reduce(0, +))
    }
  }

  @Test func `Columns of a memory store follow created and changed records without being built again`() async throws {
    let store = MemoryModelStore()
    for id in 0..<50 {
      let reading = Reading()
      (reading.id.value, reading.number.value, reading.kind.value) = (id, id % 10, "kind \(id)")
      try await store.create(reading)
    }
    func found() async throws -> Int {
      try await store.list(Reading.self, where: { $0.number == 3 && $0.kind != "x" }).count
    }
    for _ in 0..<2 { #expect(try await found() == 5) }

    func columns() throws -> ColumnTable? {
      let lastWrite = try #require(store.handle.writeState(of: Reading.typeName)).lastWrite
      return try store.columnCache.table(
        ["number", "kind"], of: Reading.typeName, at: lastWrite,
        changes: { store.handle.records(of: Reading.typeName, writtenAfter: $0, upTo: lastWrite) },
        building: { _ in throw Failure() })
    }
    #expect(try columns() != nil)
    let first = try await store.lookup(Reading.self, identifier: "0")
    first.number.value = 3
    try await store.save(first)
    let added = Reading()
    (added.id.value, added.number.value) = (50, 3)
    try await store.create(added)
    #expect(try columns() != nil)
    #expect(try await found() == 7)
    try await store.delete(added)
    #expect(try columns() == nil)
    #expect(try await found() == 6)
  }
}

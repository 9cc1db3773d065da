import Foundation
import MemoryStore
import Testing

@testable import StoreProtocolTesting

@Suite struct `Sums and averages` {
  final class Entry: Model {
    @Field var id: Int?
    @Field var small: Int8?
    @Field var large: Int?
    @Field var unsigned: UInt64?
    @Field var amount: Decimal?
    @Field var isIn: Bool?
    let color = EnumField<ContractColor>()
    override var identifierField: AnyField? { $id }
  }

  /// Later attempts read columns instead of records.
  private let attempts = 1...3

  private func makeStore<Value>(_ values: [Value], _ set: (Entry, Value) -> Void) async throws -> MemoryModelStore {
    let store = MemoryModelStore()
    for value in values {
      let entry = Entry()
      set(entry, value)
      try await store.create(entry)
    }
    return store
  }

  @Test func `The average of small integers can have a sum that does not fit them`() async throws {
    let store = try await makeStore([100, 100, -50]) { $0.small = $1 }
    for _ in attempts {
      #expect(try await store.average(Entry.self, of: \.small) == 50)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.sum(Entry.self, of: \.small) }
      #expect(error?.code == .invalid)
      #expect(error?.message.contains("small") == true && error?.message.contains("Int8") == true)
      #expect(try await store.sum(Entry.self, of: \.small, where: { $0.id > 1 }) == 50)
    }
  }

  @Test(arguments: [[Int.max, 1, -1], [1, -1, .max], [.max, .max, -.max], [.min, -1, .max, .max, 1]])
  func `The order of integers does not decide whether their sum fits`(numbers: [Int]) async throws {
    let store = try await makeStore(numbers) { $0.large = $1 }
    let sum = numbers.reduce(Int128(0)) { $0 + Int128($1) }
    for _ in attempts {
      #expect(try await store.sum(Entry.self, of: \.large) == Int(sum))
      let groups = try await store.groups(Entry.self, by: { $0.small }) { ($0.sum(\.large), $0.average(\.large)) }
      #expect(groups.map(\.values.0) == [Int(sum)])
      #expect(groups.map(\.values.1) == [Double(sum) / Double(numbers.count)])
    }
  }

  @Test func `The average of the largest integers is one of them`() async throws {
    let store = try await makeStore([UInt64.max, .max]) { ($0.unsigned, $0.large) = ($1, .max) }
    for _ in attempts {
      #expect(try await store.average(Entry.self, of: \.large) == Double(Int.max))
      #expect(try await store.average(Entry.self, of: \.unsigned) == Double(UInt64.max))
    }
  }

  @Test(arguments: [
    ["1e37", "1e-10", "-1e37"], ["1e-10", "1e37", "-1e37"], ["-1e37", "1e37", "0.0000000001"],
  ])
  func `The order of decimal numbers does not decide whether their sum fits`(texts: [String]) async throws {
    let store = try await makeStore(texts) { $0.amount = Decimal(string: $1) }
    for _ in attempts {
      #expect(try await store.sum(Entry.self, of: \.amount) == Decimal(string: "1e-10"))
    }
  }

  @Test func `A sum of decimal numbers with too many digits is an error, and their average is rounded`() async throws {
    let store = try await makeStore(["1e37", "1e-10"]) { $0.amount = Decimal(string: $1) }
    for _ in attempts {
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.sum(Entry.self, of: \.amount) }
      #expect(error?.code == .invalid)
      #expect(try await store.average(Entry.self, of: \.amount) == Decimal(string: "5e36"))
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `The total of decimal numbers is exact in every order, without removed ones`(seed: UInt64) {
    var random = RandomSource(seed: seed)
    for _ in 0..<200 {
      // In units of 10^-6, so that the sum is also one of integers.
      let units = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        Int.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)
      }
      func decimal(_ units: Int) -> Decimal { Decimal(units) / 1_000_000 }
      let removed = (0..<3).map { _ in Decimal(random.next()) * Decimal(random.next()) }
      var total = DecimalTotal()
      for value in (units.map(decimal) + removed).shuffled(using: &random) { total.add(value) }
      for value in removed {
        let isRemoved = total.remove(value)
        #expect(isRemoved)
      }
      let expected = decimal(units.reduce(0, +))
      #expect(total.sum == expected)
      #expect(total.sum?.description == expected.description)
      #expect(total.average(of: units.count) == expected / Decimal(units.count))
    }
  }

  @Test func `The total of the largest decimal numbers is exact`() {
    let largest = Decimal.greatestFiniteMagnitude
    var total = DecimalTotal()
    for value in [largest, largest, -largest] { total.add(value) }
    #expect(total.sum == largest)
    total.add(largest)
    #expect(total.sum == nil)
    for _ in 0..<3 { total.add(-largest) }
    #expect(total.sum == -largest)
    total.add(.nan)
    #expect(total.sum == nil)
    #expect(total.average(of: 6) == nil)
  }

  @Test func `A value that can't be read matters only if the condition needs it`() async throws {
    let store = MemoryModelStore()
    let records: JSONValue = [
      ["identifier": "1", "value": ["id": 1, "isIn": true, "small": 1, "color": "red"]],
      ["identifier": "2", "value": ["id": 2, "isIn": false, "small": 1_000, "color": "other"]],
    ]
    try store.restore(["version": 1, "types": .object([Entry.typeName: records])])
    for _ in attempts {
      #expect(try await store.sum(Entry.self, of: \.small, where: { $0.isIn == true }) == 1)
      let groups = try await store.groups(Entry.self, by: { $0.color }, where: { $0.isIn == true }) { $0.sum(\.small) }
      #expect(groups.map(\.values) == [1])
      #expect(
        try await store.sum(Entry.self, of: \.id, where: { $0.isIn == true && $0.color == ContractColor.red }) == 1)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.sum(Entry.self, of: \.small) }
      #expect(error?.code == .corrupt)
    }
  }
}

import Foundation
import MemoryStore
import StoreProtocolTesting
import Testing

/// The cost of a query with indexes: the number of records that are read, and of those that are tested.
@Suite struct `A query of a memory store with indexes` {
  private let store: MemoryModelStore

  /// 1,000 people: the ages go from 0 to 99, ten of each, those without remainder by 100 have none; names have three
  /// digits.
  init() async throws {
    store = MemoryModelStore()
    try store.index(\ContractPerson.age)
    let people = (0..<1_000).map { (number: Int) in
      let person = ContractPerson()
      person.name.value = "n" + String(String(1_000 + number).dropFirst())
      person.age.value = number % 100 == 0 ? nil : number % 100
      person.height.value = Double(number)
      return person
    }
    try await store.createAll(people)
    try store.index(\ContractPerson.name)
  }

  private func report(
    sort: [ModelSort<ContractPerson>] = [], limit: Int? = nil, offset: Int = 0,
    _ filter: ((ModelColumns<ContractPerson>) -> QueryExpression)? = nil
  ) async throws -> QueryReport {
    let query = ModelQuery(ContractPerson.self, where: filter, sort: sort, limit: limit, offset: offset)
    let report = try await store.explain(query)
    let all = MemoryModelStore()
    try all.restore(store.snapshot())
    let expected = try all.listImmediately(query).map(\.id.value)
    #expect(try store.listImmediately(query).map(\.id.value) == expected)
    #expect(try store.countImmediately(query) == expected.count)
    #expect(report.matchCount == expected.count)
    return report
  }

  @Test func `A query of a memory store with indexes about one value reads the records that have it, and tests none`()
    async throws
  {
    let report = try await report { $0.age == 30 }
    #expect(report.plan.usedIndexes == ["age"])
    #expect((report.readCount, report.testedCount, report.matchCount) == (10, 0, 10))
    #expect("\(report)" == "by the index of age, 10 of 1000 records; read 10, tested 0, found 10")
  }

  struct Case: Sendable {
    let count: Int
    let filter: @Sendable (ModelColumns<ContractPerson>) -> QueryExpression

    init(_ count: Int, _ filter: @escaping @Sendable (ModelColumns<ContractPerson>) -> QueryExpression) {
      self.count = count
      self.filter = filter
    }
  }

  @Test(arguments: [
    Case(20) { $0.age < 3 }, Case(30) { $0.age <= 3 }, Case(20) { $0.age > 97 }, Case(30) { $0.age >= 97 },
    Case(50) { (20...24).contains($0.age) }, Case(20) { $0.age.isIn([5, 7, 5]) }, Case(10) { $0.age == nil },
    Case(60) { $0.age < 4 || $0.age > 96 }, Case(20) { !($0.age < 98) && $0.age != nil },
    Case(0) { $0.age > 5 && $0.age < 3 }, Case(10) { $0.name.hasPrefix("n12") },
    Case(20) { $0.age == 5 || $0.name.hasPrefix("n44") }, Case(0) { $0.age < nil },
  ])
  func `A query of a memory store with indexes of ranges, prefixes and lists reads only matching records`(example: Case)
    async throws
  {
    let report = try await report(example.filter)
    let count = example.count
    #expect(report.matchCount == count)
    #expect((report.readCount, report.testedCount) == (count, 0))
    #expect(!report.plan.isFullScan)
  }

  @Test func `A query with && uses the index with fewer matches, and tests the rest of the condition`() async throws {
    let byAge = try await report { $0.height > 500 && $0.age == 30 }
    #expect(byAge.plan.usedIndexes == ["age"])
    #expect((byAge.readCount, byAge.testedCount, byAge.matchCount) == (10, 10, 5))
    let byName = try await report { $0.age < 50 && $0.name.hasPrefix("n1") && $0.name < "n104" }
    #expect(byName.plan.usedIndexes == ["name"])
    #expect(byName.readCount == 4)
    #expect(byName.matchCount == 3)
  }

  @Test func `A query of a memory store with indexes with && intersects indexes with as many matches`() async throws {
    let report = try await report { $0.age < 20 && $0.name < "n200" && $0.height != 7 }
    #expect(report.plan.usedIndexes.sorted() == ["age", "name"])
    #expect((report.readCount, report.matchCount) == (38, 37))
  }

  @Test func `A query of a memory store with indexes with || over a field without index goes through all`() async throws
  {
    let report = try await report { $0.age == 30 || $0.height == 3 }
    #expect(report.plan.isFullScan)
    #expect((report.readCount, report.testedCount, report.matchCount) == (1_000, 1_000, 11))
  }

  @Test(arguments: [false, true], [QueryOrder.Nils.first, .last])
  func `A query of a memory store with indexes sorted by an indexed field reads no more than the limit`(
    isDescending: Bool, nils: QueryOrder.Nils
  ) async throws {
    let order: ModelSort<ContractPerson> =
      isDescending ? .descending(\.age, nils: nils) : .ascending(\.age, nils: nils)
    let page = try await report(sort: [order], limit: 7, offset: 8)
    #expect(page.plan.isSortedByIndex)
    #expect(page.readCount == 7)
    let filtered = try await report(sort: [order], limit: 5) { $0.age > 40 }
    #expect((filtered.readCount, filtered.testedCount) == (5, 0))
    let whole = try await report(sort: [order])
    #expect(whole.plan.isSortedByIndex)
    #expect(whole.readCount == 1_000)
  }

  @Test func `A query sorted by further fields reads to the end of the last value that counts`() async throws {
    let report = try await report(sort: [.descending(\.age), .descending(\.height)], limit: 12)
    #expect(report.plan.isSortedByIndex)
    #expect(report.readCount == 20)
  }

  @Test func `A query sorted by one field with few values of another takes the shorter way`() async throws {
    let few = try await report(sort: [.ascending(\.name)], limit: 5) { $0.age == 30 }
    #expect(few.plan.usedIndexes == ["age"])
    #expect(few.readCount == 10)
    let many = try await report(sort: [.ascending(\.name)], limit: 5) { $0.age > 2 }
    #expect(many.plan.usedIndexes == ["name"])
    #expect(many.readCount < 30)
  }

  @Test func `A sorted query about rare values of a field without index stops following the index`() async throws {
    let query = try await report(sort: [.ascending(\.name)], limit: 20) { $0.height.isIn([3, 998]) }
    #expect(!query.plan.isSortedByIndex)
    #expect((query.readCount, query.matchCount) == (1_000, 2))
  }

  @Test func `A query of a memory store with indexes that skips many of an indexed value reads only the page`()
    async throws
  {
    #expect(try await report(limit: 3, offset: 4) { $0.age == 30 }.readCount == 3)
    #expect(try await report(limit: 3, offset: 900).readCount == 3)
    #expect(try await report(sort: [.descending(\.age), .ascending(\.name)], limit: 5, offset: 105).readCount <= 20)
  }

  @Test func `A query of a memory store with indexes for the first match stops there`() async throws {
    #expect(try await report(limit: 1).readCount == 1)
    #expect(try await report(limit: 1) { $0.height >= 3 }.readCount == 4)
    #expect(try await report(limit: 0).readCount == 0)
    #expect(try await report(limit: 3) { $0.age > 50 }.readCount == 3)
  }

  @Test func `A query with indexes is right about records without the key, and refuses unreadable ones`()
    throws
  {
    try store.restore([
      "version": 1,
      "types": .object([
        ContractPerson.typeName: [
          ["identifier": "1", "value": ["id": 1, "age": 3.0]], ["identifier": "2", "value": ["id": 2]],
          ["identifier": "3", "value": ["id": 3, "age": 4]],
        ]
      ]),
    ])
    #expect(try store.listImmediately(ContractPerson.self, where: { $0.age <= 4 }).map(\.id.value) == [1, 3])
    #expect(try store.listImmediately(ContractPerson.self, where: { $0.age == nil }).map(\.id.value) == [2])
    try store.restore([
      "version": 1,
      "types": .object([
        ContractPerson.typeName: [
          ["identifier": "1", "value": ["id": 1, "age": "three"]], ["identifier": "3", "value": ["id": 3, "age": 4]],
        ]
      ]),
    ])
    let error = #expect(throws: ModelStoreError.self) {
      try store.listImmediately(ContractPerson.self, where: { $0.age == 4 })
    }
    #expect(error?.code == .corrupt)
  }

  @Test func `A query of a memory store with indexes inside a transaction finds the writes of the transaction`()
    async throws
  {
    try await store.transaction { store in
      let person = ContractPerson()
      person.name.value = "n500b"
      person.age.value = 30
      try await store.create(person)
      #expect(try store.listImmediately(ContractPerson.self, where: { $0.age == 30 }).count == 11)
      #expect(try store.countImmediately(ModelQuery(ContractPerson.self)) == 1_001)
    }
    #expect(try await report { $0.age == 30 }.matchCount == 11)
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        for person in try store.listImmediately(ContractPerson.self, where: { $0.age == 30 }) {
          person.age.value = 31
          try await store.update(person)
        }
        throw Refusal()
      }
    }
    for person in try store.listImmediately(ContractPerson.self, where: { $0.age == 30 }) { person.revert() }
    #expect(try await report { $0.age == 30 }.matchCount == 11)
  }
}

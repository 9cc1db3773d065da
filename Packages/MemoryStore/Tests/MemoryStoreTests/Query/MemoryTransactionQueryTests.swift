import MemoryStore
import Testing

@testable import StoreProtocolTesting

/// Queries of a transaction see what it wrote, of which indexes don't know yet.
@Suite struct `A query inside a transaction` {
  private let store = MemoryModelStore()

  private func person(_ number: Int) -> LivePerson {
    let person = LivePerson()
    person.name.value = "n\(number % 20)"
    person.age.value = number % 100 == 0 ? nil : number % 100
    person.score.value = number
    return person
  }

  private func fill() async throws {
    try await store.createAll((0..<200).map(person))
    try store.index(\LivePerson.age)
    try store.index(\LivePerson.name)
  }

  @Test func `A query in a transaction reads only matches of indexes and records that it wrote`() async throws {
    try await fill()
    try await store.transaction { store in
      try await store.create(person(30))
      let other = try store.lookupImmediately(LivePerson.self, identifier: "41")
      other.age.value = 30
      try await store.update(other)
      try await store.delete(try store.lookupImmediately(LivePerson.self, identifier: "31"))
      let report = try await store.explain(ModelQuery(LivePerson.self, where: { $0.age == 30 }))
      #expect(report.plan.usedIndexes == ["age"])
      // Two have it; one was deleted, one was created, and one was changed.
      #expect((report.readCount, report.matchCount) == (3, 3))
      let found = try store.listImmediately(LivePerson.self, where: { $0.age == 30 })
      #expect(found.map(\.id.value) == [41, 131, 201])
    }
  }

  @Test func `A sorted query in a transaction reads the first records of the index and those that it wrote`()
    async throws
  {
    try await fill()
    try await store.transaction { store in
      let new = person(1)
      try await store.create(new)
      let other = try store.lookupImmediately(LivePerson.self, identifier: "2")
      other.age.value = 99
      try await store.update(other)
      let query = ModelQuery(LivePerson.self, sort: [.ascending(\.age, nils: .last)], limit: 2)
      let report = try await store.explain(query)
      #expect(report.plan.usedIndexes == ["age"])
      #expect(report.readCount <= 4)
      #expect(try store.listImmediately(query).map(\.id.value) == [102, 201])
    }
  }

  private static func query(_ random: inout RandomSource) -> ModelQuery<LivePerson> {
    typealias Columns = ModelColumns<LivePerson>
    let (low, high) = (random.below(50), 50 + random.below(50))
    let name = "n\(random.below(20))"
    let filters: [(@Sendable (Columns) -> QueryExpression)?] = [
      nil, { $0.age == low }, { $0.age > high }, { $0.age == nil }, { $0.age != low }, { $0.name == name },
      { $0.name == name && $0.age > low }, { $0.name == name || $0.age == low }, { $0.age.isIn([low, high]) },
      { $0.name.hasPrefix("n1") && $0.score < 90 }, { !($0.age < high) }, { $0.age == low && $0.tags.isEmpty },
      { $0.score > 150 }, { $0.age > high && $0.age < low },
    ]
    let sorts: [[ModelSort<LivePerson>]] = [
      [], [.ascending(\.age)], [.descending(\.age), .ascending(\.score)], [.descending(\.name)],
      [.ascending(\.age, nils: .last)],
    ]
    return ModelQuery(
      LivePerson.self, where: filters[random.below(filters.count)], sort: sorts[random.below(sorts.count)],
      limit: random.below(2) == 0 ? nil : random.below(20), offset: random.below(3) == 0 ? random.below(5) : 0)
  }

  private func write(_ store: MemoryModelStore, _ random: inout RandomSource) async throws {
    let all = try store.listImmediately(LivePerson.self)
    switch random.below(5) {
    case 0:
      try await store.createAll([person(random.below(1_000)), person(random.below(1_000))])
    case 1:
      // Deleted, and created again with the same identifier.
      let one = all[random.below(all.count)]
      try await store.delete(one)
      if random.below(2) == 0 { try await store.create(one) }
    default:
      let one = all[random.below(all.count)]
      one.age.value = random.below(9) == 0 ? nil : random.below(100)
      if random.below(2) == 0 { one.name.value = "n\(random.below(20))" }
      try await store.update(one)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `A query inside a transaction finds the same models as a filter over all of them`(seed: UInt64)
    async throws
  {
    struct Refusal: Error {}
    try await fill()
    var random = RandomSource(seed: seed)
    for round in 0..<4 {
      do {
        try await store.transaction { store in
          for _ in 0..<6 {
            try await write(store, &random)
            let all = try store.listImmediately(LivePerson.self)
            for _ in 0..<6 {
              let query = Self.query(&random)
              let expected = try query.apply(to: all).map(\.id.value)
              #expect(try store.listImmediately(query).map(\.id.value) == expected, "\(query), round \(round)")
              #expect(try store.countImmediately(query) == expected.count, "\(query), round \(round)")
            }
          }
          if round.isMultiple(of: 2) { throw Refusal() }
        }
      } catch is Refusal {
        for model in store.scope.unsavedModels { store.scope.remove(model) }
      }
      // The indexes know it now.
      let instance = MemoryModelStore(store.handle)
      let all = try instance.listImmediately(LivePerson.self)
      for _ in 0..<10 {
        let query = Self.query(&random)
        #expect(try instance.listImmediately(query).map(\.id.value) == query.apply(to: all).map(\.id.value), "\(query)")
      }
    }
  }
}

import FileStore
import Foundation
import Testing

@testable import StoreProtocolTesting

/// Queries of a transaction see what it wrote, of which indexes don't know yet.
@Suite struct `A query inside a transaction of a file store` {
  /// 200 people of whom two have each age, with indexes of their ages and names.
  private func withPeople(_ body: (FileModelStore) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      try await store.createAll((0..<200).map(person))
      try await store.index(\ContractPerson.age)
      try await store.index(\ContractPerson.name)
      try await body(store)
      try await store.close()
    }
  }

  private func person(_ number: Int) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = "n\(number % 20)"
    person.age.value = number % 100 == 0 ? nil : number % 100
    person.height.value = Double(number)
    return person
  }

  @Test func `A query in a transaction of a file store reads only matches of indexes and records that it wrote`()
    async throws
  {
    try await withPeople { store in
      try await store.transaction { store in
        try await store.create(person(30))
        try await store.create(person(77))
        let other = try await store.lookup(ContractPerson.self, identifier: "41")
        other.age.value = 30
        try await store.update(other)
        try await store.delete(try await store.lookup(ContractPerson.self, identifier: "31"))
        let report = try await store.explain(ModelQuery(ContractPerson.self, where: { $0.age == 30 }))
        #expect(report.plan.usedIndexes == ["age"])
        // Two have it; one was deleted, one was created, and one was changed.
        #expect((report.readCount, report.matchCount) == (3, 3))
        let found = try await store.list(ContractPerson.self, where: { $0.age == 30 })
        #expect(found.map(\.id.value) == [41, 131, 201])
        // Written once more, it is not found by what it was.
        other.age.value = 50
        try await store.update(other)
        let left = ModelQuery(ContractPerson.self, where: { $0.age == 30 })
        #expect(try await store.identifiers(left) == ["131", "201"])
      }
    }
  }

  @Test func `A count in a transaction of a file store reads no record that the transaction left alone`() async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      try await store.createAll((0..<200).map(person))
      try await store.index(\ContractPerson.age)
      _ = try await store.count(ContractPerson.self, where: { $0.age == 30 })
      // No record can be read any more.
      let file = directory.appending(path: "groups/@default/000001.journal")
      let handle = try FileHandle(forWritingTo: file)
      let lines = try Data(contentsOf: file)
      for start in lines.indices where lines[start...].starts(with: Data(#""name":"n"#.utf8)) {
        try handle.seek(toOffset: UInt64(start + 1))
        try handle.write(contentsOf: Data("N".utf8))
      }
      try handle.close()
      try await store.transaction { store in
        try await store.create(person(30))
        try await store.create(person(77))
        #expect(try await store.count(ContractPerson.self, where: { $0.age == 30 }) == 3)
        #expect(try await store.count(ContractPerson.self, where: { $0.age > 90 }) == 18)
        #expect(try await store.count(ContractPerson.self) == 202)
        await #expect(throws: ModelStoreError.self) {
          _ = try await store.count(ContractPerson.self, where: { $0.name == "n3" })
        }
      }
      #expect(try await store.count(ContractPerson.self, where: { $0.age == 30 }) == 3)
      try await store.close()
    }
  }

  private static func query(_ random: inout RandomSource) -> ModelQuery<ContractPerson> {
    typealias Columns = ModelColumns<ContractPerson>
    let (low, high) = (Int.random(in: 0..<50, using: &random), Int.random(in: 50..<100, using: &random))
    let name = "n\(Int.random(in: 0..<20, using: &random))"
    let filters: [(@Sendable (Columns) -> QueryExpression)?] = [
      nil, { $0.age == low }, { $0.age > high }, { $0.age == nil }, { $0.age != low }, { $0.name == name },
      { $0.name == name && $0.age > low }, { $0.name == name || $0.age == low }, { $0.age.isIn([low, high]) },
      { $0.name.hasPrefix("n1") && $0.height < 90 }, { !($0.age < high) }, { $0.height > 150 },
    ]
    let sorts: [[ModelSort<ContractPerson>]] = [
      [], [], [.ascending(\.age)], [.descending(\.age), .ascending(\.height)], [.ascending(\.age, nils: .last)],
    ]
    return ModelQuery(
      ContractPerson.self, where: filters.randomElement(using: &random) ?? nil,
      sort: sorts.randomElement(using: &random) ?? [],
      limit: Bool.random(using: &random) ? nil : Int.random(in: 0..<20, using: &random),
      offset: Int.random(in: 0..<3, using: &random))
  }

  private func write(_ store: FileModelStore, _ random: inout RandomSource) async throws {
    guard let one = try await store.list(ModelQuery(ContractPerson.self)).randomElement(using: &random) else { return }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try await store.createAll([person(Int.random(in: 0..<1_000, using: &random)), person(7)])
    case 1:
      // Deleted, and created again with the same identifier.
      try await store.delete(one)
      if Bool.random(using: &random) { try await store.create(one) }
    default:
      one.age.value = Int.random(in: 0..<100, using: &random)
      try await store.update(one)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `A query inside a transaction of a file store finds the same models as a filter over all of them`(seed: UInt64)
    async throws
  {
    try await withPeople { store in
      var random = RandomSource(seed: seed)
      for _ in 0..<3 {
        try await store.transaction { store in
          for _ in 0..<6 {
            try await write(store, &random)
            let all = try await store.list(ModelQuery(ContractPerson.self))
            for _ in 0..<8 {
              let query = Self.query(&random)
              let expected = try query.apply(to: all).map(\.id.value)
              #expect(try await store.list(query).map(\.id.value) == expected, "\(query)")
              #expect(try await store.count(query) == expected.count, "\(query)")
            }
          }
        }
        // The indexes know it now.
        let instance = FileModelStore(store.handle)
        let all = try await instance.list(ModelQuery(ContractPerson.self))
        for _ in 0..<8 {
          let query = Self.query(&random)
          #expect(try await instance.list(query).map(\.id.value) == query.apply(to: all).map(\.id.value), "\(query)")
        }
      }
    }
  }
}

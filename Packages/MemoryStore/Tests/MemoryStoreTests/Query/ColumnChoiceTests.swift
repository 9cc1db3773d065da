import MemoryStore
import Testing

@testable import StoreProtocolTesting

/// Whether an aggregate with a condition reads an index or columns.
@Suite struct `An aggregate of an indexed condition` {
  private let store = MemoryModelStore()

  /// 4,000 people with the heights from 0 on.
  init() async throws {
    let people = (0..<4_000).map { (number: Int) in
      let person = ContractPerson()
      person.name.value = "n\(number)"
      person.age.value = number % 100
      person.height.value = Double(number)
      return person
    }
    try await store.createAll(people)
    try store.index(\ContractPerson.height)
  }

  private func report(below height: Double) async throws -> QueryReport {
    try await store.explain(ModelQuery(ContractPerson.self, where: { $0.height < height }), columns: { $0.age })
  }

  private func sum(below height: Double) async throws -> Int? {
    try await store.sum(ContractPerson.self, of: \.age, where: { $0.height < height })
  }

  private func expectedSum(below height: Int) -> Int { (0..<height).reduce(0) { $0 + $1 % 100 } }

  @Test func `Few records are read by the index, although there are columns`() async throws {
    for _ in 0..<2 { _ = try await report(below: 3_000) }
    #expect(try await report(below: 3_000).usesColumns)
    let few = try await report(below: 3)
    #expect(!few.usesColumns)
    #expect(few.plan.usedIndexes == ["height"])
    #expect(few.readCount == 3)
    #expect(try await sum(below: 3) == expectedSum(below: 3))
    // A fiftieth.
    #expect(try await !report(below: 80).usesColumns)
    #expect(try await report(below: 81).usesColumns)
    #expect(try await sum(below: 80) == expectedSum(below: 80))
  }

  @Test func `Many records are read in columns, although there is an index`() async throws {
    let first = try await report(below: 3_000)
    #expect(!first.usesColumns)
    let second = try await report(below: 3_000)
    #expect(second.usesColumns)
    #expect(second.readCount == 4_000)
    let third = try await report(below: 2_000)
    #expect(third.usesColumns)
    #expect(third.readCount == 0)
    #expect(try await sum(below: 2_000) == expectedSum(below: 2_000))
  }

  @Test func `Columns are built when the index has been read for as many records as there are`() async throws {
    // Each reads a fifth.
    for _ in 0..<4 {
      #expect(try await !report(below: 800).usesColumns)
      #expect(try await sum(below: 1) == 0)
    }
    let fifth = try await report(below: 800)
    #expect(fifth.usesColumns)
    #expect(fifth.matchCount == 800)
    #expect(try await sum(below: 800) == expectedSum(below: 800))
  }

  /// The sums and groups are those of the records that an index finds, of columns, or of both.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `Sums and groups of random conditions are those of plain Swift`(seed: UInt64) async throws {
    var random = RandomSource(seed: seed)
    let store = MemoryModelStore()
    var people: [ContractPerson] = []
    for number in 0..<600 {
      let person = ContractPerson()
      person.name.value = ["n\(number % 5)", "[\"\\", "{", "\"age\":1"].randomElement(using: &random)
      person.age.value = Int.random(in: 0..<5, using: &random) == 0 ? nil : Int.random(in: 0...130, using: &random)
      person.height.value = Double(Int.random(in: 0..<300, using: &random))
      people.append(person)
    }
    try await store.createAll(people)
    try store.index(\ContractPerson.height)
    if seed.isMultiple(of: 2) { try store.index(\ContractPerson.name) }
    for _ in 0..<40 {
      let low = Double(Int.random(in: 0..<300, using: &random))
      let high = low + Double(Int.random(in: 0..<40, using: &random))
      let tests = Bool.random(using: &random)
      let condition = { (person: ModelColumns<ContractPerson>) -> QueryExpression in
        let isIn = person.height >= low && person.height <= high
        return tests ? isIn && person.name != "n1" : isIn
      }
      let found = people.filter { person in
        let height = person.height.value ?? -1
        return height >= low && height <= high && (!tests || person.name.value != "n1")
      }
      let ages = found.compactMap(\.age.value)
      let sum = try await store.sum(ContractPerson.self, of: \.age, where: condition)
      #expect(sum == (ages.isEmpty ? nil : ages.reduce(0, +)))
      let groups = try await store.groups(ContractPerson.self, by: { $0.name }, where: condition) {
        ($0.count, $0.maximum(\.age))
      }
      var names: [String?] = []
      for person in found where !names.contains(person.name.value) { names.append(person.name.value) }
      #expect(groups.map(\.key) == names)
      for group in groups {
        let members = found.filter { $0.name.value == group.key }
        #expect(group.values.0 == members.count)
        #expect(group.values.1 == members.compactMap(\.age.value).max())
      }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try await store.delete(people.remove(at: Int.random(in: people.indices, using: &random)))
      case 1:
        let person = people[Int.random(in: people.indices, using: &random)]
        (person.age.value, person.height.value) = (Int.random(in: 0..<100, using: &random), low)
        try await store.update(person)
      default: break
      }
    }
  }

  @Test func `A condition of an index whose value can't be a column is answered from the records`() async throws {
    let store = MemoryModelStore()
    for number in 0..<40 {
      let person = ContractPerson()
      (person.name.value, person.age.value, person.height.value) = ("n", number, Double(number))
      person.tags.value = ["t\(number)"]
      try await store.create(person)
    }
    try store.index(\ContractPerson.height)
    for _ in 0..<3 {
      let sum = try await store.sum(
        ContractPerson.self, of: \.age, where: { $0.height == 7.0 && $0.tags.contains("t7") })
      #expect(sum == 7)
    }
  }
}

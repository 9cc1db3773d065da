import MemoryStore
import StoreProtocolTesting
import Testing

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
}

import Foundation
import MemoryStore
import Testing

private struct Money: Hashable, JSONConvertible, Sendable {
  var cents: Int

  init(cents: Int) { self.cents = cents }

  init(json: JSONValue) throws { cents = try Int(json: json["cents"] ?? .null) }

  var json: JSONValue { ["cents": .int(cents)] }
}

private struct Tag: RawRepresentable, Hashable, Sendable {
  var rawValue: String
}

/// A text whose values are equal in any case.
private struct AnyCase: Hashable, JSONConvertible, Sendable {
  var text: String

  init(_ text: String) { self.text = text }

  init(json: JSONValue) throws { text = try String(json: json) }

  var json: JSONValue { .string(text) }

  static func == (left: AnyCase, right: AnyCase) -> Bool { left.text.lowercased() == right.text.lowercased() }

  func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }
}

private final class Bill: Model {
  let id = Field<Int>()
  let amount = Field<Decimal>()
  let price = Field<Money>()
  let tag = Field<Tag>()
  let code = Field<AnyCase>()
  override var identifierField: AnyField? { id }
}

@Suite struct `An index of values of any hashable type` {
  private func store(_ count: Int = 200) async throws -> MemoryModelStore {
    let store = MemoryModelStore()
    for number in 0..<count {
      let bill = Bill()
      bill.amount.value = number % 50 == 0 ? nil : Decimal(number % 20) / 8
      bill.price.value = number % 50 == 0 ? nil : Money(cents: number % 20)
      bill.tag.value = Tag(rawValue: "t\(number % 20)")
      bill.code.value = AnyCase(number % 2 == 0 ? "a\(number % 20)" : "A\(number % 20)")
      try await store.create(bill)
    }
    return store
  }

  @Test func `A field of decimal numbers has an index with ranges and order`() async throws {
    let store = try await store()
    try store.index(\Bill.amount)
    let half = Decimal(string: "0.5") ?? 0
    let query = ModelQuery(Bill.self, where: { $0.amount <= half }, sort: [.descending(\.amount)], limit: 5)
    let report = try await store.explain(query)
    #expect(report.plan.isSortedByIndex)
    #expect((report.readCount, report.testedCount) == (5, 0))
    #expect(try store.listImmediately(query).map(\.amount.value) == Array(repeating: half, count: 5))
    #expect(try store.countImmediately(ModelQuery(Bill.self, where: { $0.amount == half })) == 10)
  }

  @Test func `Fields of JSON-convertible and raw-value types find equal values by their index`() async throws {
    let (store, plain) = (try await store(), try await store())
    try store.index(\Bill.price)
    try store.index(\Bill.tag)
    try store.index(\Bill.code)
    let filters: [(ModelColumns<Bill>) -> QueryExpression] = [
      { $0.price == Money(cents: 3) }, { $0.price != Money(cents: 3) }, { $0.price == nil }, { $0.price != nil },
      { $0.tag == Tag(rawValue: "t3") }, { $0.tag.isIn([Tag(rawValue: "t3"), Tag(rawValue: "t4")]) },
      { !($0.tag == Tag(rawValue: "t3")) }, { $0.code == AnyCase("A4") },
      { $0.code == AnyCase("a5") && $0.tag != Tag(rawValue: "t5") },
    ]
    for filter in filters {
      let query = ModelQuery(Bill.self, where: filter)
      #expect(
        try store.listImmediately(query).map(\.id.value) == plain.listImmediately(query).map(\.id.value), "\(query)")
      #expect(try store.countImmediately(query) == plain.countImmediately(query), "\(query)")
    }
    #expect(try await store.explain(ModelQuery(Bill.self, where: { $0.code == AnyCase("A4") })).readCount == 10)
    #expect(try await store.explain(ModelQuery(Bill.self, where: { $0.tag == Tag(rawValue: "t3") })).readCount == 10)
    #expect(try await store.explain(ModelQuery(Bill.self, where: { $0.price == Money(cents: 3) })).readCount == 10)
  }

  @Test func `A unique index compares values, not how they are written`() async throws {
    let store = try await store(1)
    try store.index(\Bill.code, unique: true)
    try store.index(\Bill.amount, unique: true)
    let bill = Bill()
    bill.code.value = AnyCase("A0")
    let error = await #expect(throws: ModelStoreError.self) { _ = try await store.create(bill) }
    #expect(error?.code == .conflict)
  }
}

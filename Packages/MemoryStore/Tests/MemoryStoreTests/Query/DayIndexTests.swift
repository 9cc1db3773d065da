import MemoryStore
import Testing

private final class Invoice: Model {
  let id = Field<Int>()
  let due = Field<Day>()
  @Required var written = Day(2026, 1, 1)
  override var identifierField: AnyField? { id }
}

@Suite struct `Days in a store` {
  @Test(arguments: [false, true])
  func `Days are compared and sorted by the calendar, with and without an index`(isIndexed: Bool) async throws {
    let store = MemoryModelStore()
    if isIndexed {
      try store.index(\Invoice.due)
      try store.index(\Invoice.written)
    }
    let days = [Day(2026, 2, 28), Day(1969, 12, 31), nil, Day(2026, 10, 1), Day(2026, 9, 30), Day(87, 1, 1)]
    for day in days {
      let invoice = Invoice()
      invoice.due.value = day
      invoice.written = (day ?? Day(2026, 1, 1)).adding(days: 1)
      try await store.create(invoice)
    }
    let september = try await store.list(Invoice.self, where: { $0.due.isIn(Day(2026, 9, 1)..<Day(2026, 10, 1)) })
    #expect(september.map(\.due.value) == [Day(2026, 9, 30)])
    let early = try await store.list(
      Invoice.self, where: { $0.due < Day(2026, 9, 30) }, sort: [.descending(\.due)])
    #expect(early.map(\.due.value) == [Day(2026, 2, 28), Day(1969, 12, 31), Day(87, 1, 1)])
    let written = try await store.list(Invoice.self, where: { $0.written >= Day(2026, 10, 1) })
    #expect(written.map(\.written) == [Day(2026, 10, 2), Day(2026, 10, 1)])
    let report = try await store.explain(ModelQuery(Invoice.self, where: { $0.due == Day(2026, 10, 1) }))
    #expect(report.readCount == (isIndexed ? 1 : 6))
  }
}

import Foundation
import MemoryStore
import StoreProtocol
import Testing

private final class Visit: Model {
  let id = Field<Int>()
  let day = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
  let days = ArrayField(Field<Date>().transform(with: .date(format: "yyyy-MM-dd")))
  override var identifierField: AnyField? { id }
}

@Suite struct `Queries for values that are written in part` {
  @Test(arguments: [false, true])
  func `A query for a moment finds the record that was set to it`(isIndexed: Bool) async throws {
    let store = MemoryModelStore()
    if isIndexed { try store.index(\Visit.day) }
    let noon = Date(timeIntervalSince1970: 43_200)
    let visit = Visit()
    visit.day.value = noon
    visit.days.value = [noon]
    try await store.create(visit)
    for other in [store, MemoryModelStore(store.handle)] {
      #expect(try await other.count(Visit.self, where: { $0.day == noon }) == 1)
      #expect(try await other.count(Visit.self, where: { $0.day == visit.day.value }) == 1)
      #expect(try await other.count(Visit.self, where: { $0.day != noon }) == 0)
      #expect(try await other.count(Visit.self, where: { $0.day.isIn([noon + 60, noon - 86_400]) }) == 1)
      #expect(try await other.count(Visit.self, where: { $0.day >= noon }) == 1)
      #expect(try await other.count(Visit.self, where: { $0.day < noon }) == 0)
      #expect(try await other.count(Visit.self, where: { $0.day > noon - 86_400 }) == 1)
      #expect(try await other.first(Visit.self, where: { $0.day == noon })?.day.value == visit.day.value)
    }
  }
}

import MemoryStore
import ModelCore
import StoreProtocol
import Testing

/// Models without identifier that are in several relations of one record.
@Suite struct `A record with an embedded model in two places` {
  private final class Plan: Model {
    @Field var id: Int?
    @ModelArrayField var doses: [Dose]?
    @ModelField var main: Dose?
    @ModelArrayField var groups: [DoseGroup]?
    override var identifierField: AnyField? { $id }
  }

  private final class DoseGroup: Model {
    @ModelArrayField(inverse: \.$group) var doses: [Dose]?
  }

  private final class Dose: Model {
    @Field var amount: Int?
    @ModelField var group: DoseGroup?
    @ModelField(inverse: \.$previous) var next: Dose?
    @ModelField var previous: Dose?
  }

  private let store = MemoryModelStore()

  private func dose(_ amount: Int) -> Dose {
    let dose = Dose()
    dose.amount = amount
    return dose
  }

  private func requireInvalid(_ plan: Plan, _ field: String, _ place: String) async throws {
    let error = await #expect(throws: ModelStoreError.self) { try await store.save(plan) }
    #expect(error?.code == .invalid)
    #expect(
      error?.fields[field] == [
        "has the same model as \(place), and a record can reference only models with an identifier: embed a copy"
      ])
    #expect(try await MemoryModelStore(store.handle).count(Plan.self) == 0)
  }

  @Test func `A record with an embedded model in two relations of its owner is not written`() async throws {
    let plan = Plan(), dose = dose(4)
    plan.$doses.add(dose)
    plan.main = dose
    try await requireInvalid(plan, "main", "doses[0]")
    plan.main = dose.copy()
    try await store.save(plan)
    let read = try await MemoryModelStore(store.handle).lookup(Plan.self, identifier: "1")
    #expect(read.main?.amount == 4 && read.doses?.map(\.amount) == [4])
  }

  @Test func `A record with an embedded model in two embedded ones is not written`() async throws {
    let plan = Plan(), dose = dose(4), group = DoseGroup()
    plan.$groups.add(group)
    group.$doses.add(dose)
    plan.$doses.add(self.dose(5))
    plan.doses?[0].next = dose
    try await requireInvalid(plan, "groups[0].doses", "doses[0].next")
  }

  @Test func `A record with embedded models that have inverses of their containers is written`() async throws {
    let plan = Plan(), group = DoseGroup()
    plan.$groups.add(group)
    for amount in 1...3 { group.$doses.add(dose(amount)) }
    let first = dose(1)
    plan.main = first
    first.next = dose(2)
    first.next?.next = dose(3)
    try await store.save(plan)
    let read = try await MemoryModelStore(store.handle).lookup(Plan.self, identifier: "1")
    #expect(read.groups?[0].doses?.map(\.amount) == [1, 2, 3])
    #expect(read.main?.next?.next?.amount == 3 && read.main?.next?.next?.previous === read.main?.next)
  }
}

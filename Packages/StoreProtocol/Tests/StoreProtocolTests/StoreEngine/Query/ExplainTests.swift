import StoreEngine
import StoreProtocol
import StoreProtocolTesting
import Testing

@Suite struct `The report on a query` {
  @Test func `Every store over an engine explains how it finds the models of a query`() async throws {
    let store = ShelfStore(ShelfEngine())
    for age in 1...3 {
      let person = ContractPerson()
      (person.name.value, person.age.value) = ("\(age)", age)
      try await store.create(person)
    }
    let report = try await store.explain(ModelQuery(ContractPerson.self, where: { $0.age > 2 }))
    #expect(report.plan.isFullScan)
    #expect(report.readCount == 3)
    #expect(report.testedCount == 3)
    #expect(report.matchCount == 1)
    #expect(report.statement == nil)
    #expect("\(report)" == "all 3 records one after the other; read 3, tested 3, found 1")
  }
}

import Testing

@_spi(ModelKitInternals) @testable import ModelCore

private final class Firm: Model {
  let id = Field<String>()
  let name = Field<String>()
  let workers = ModelField<Worker>()*
  override var identifierField: AnyField? { id }
}

private final class Worker: Model {
  let id = Field<Int>()
  let firm = ModelField<Firm>(foreignKey: true, inverse: \.workers)
  override var identifierField: AnyField? { id }
}

@Suite struct `Links to deallocated models` {
  @Test func `A link is cut if another object of the record is deleted`() throws {
    let scope = ModelScope()
    let worker = try Worker.from(dictionaryValue: ["id": 1, "firm": .null], in: scope)
    do {
      let firm = try Firm.from(dictionaryValue: ["id": "acme"], in: scope)
      firm.workers.add(worker)
      worker.markSaved(worker.allStoredFields, asOf: .next())
      firm.markSaved(firm.allStoredFields, asOf: .next())
      firm.markWhollySaved(asOf: .next())
      #expect(scope.unsavedModels.isEmpty)
    }
    #expect(scope.liveModel(of: Firm.self, identifier: "acme") == nil)
    let firm = try Firm.from(dictionaryValue: ["id": "acme", "name": "Acme"], in: scope)
    let other = try Firm.from(dictionaryValue: ["id": "other"], in: scope)
    #expect(worker.nullifyOneWayLinks(to: [other]).isEmpty)
    let cut = worker.nullifyOneWayLinks(to: [firm])
    #expect(cut.count == 1 && cut.first === worker.firm)
    worker.markSaved(cut, asOf: .next())
    #expect(worker.firm.value == nil && !worker.isDirty)
    #expect(firm.workers.value ?? [] == [] && !firm.workers.isDirty)
  }
}

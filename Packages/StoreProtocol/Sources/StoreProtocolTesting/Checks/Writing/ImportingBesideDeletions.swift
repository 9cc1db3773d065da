@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Imports while another task deletes one of their models.
  static let importingBesideDeletions: [SharedEngineCheck] = [
    SharedEngineCheck(
      "an import beside a deletion of one of its models updates it, rejects its entry or creates another"
    ) {
      makeStore in
      for isAlone in [true, false] {
        for delay in 0..<40 { try await importing(isAlone: isAlone, besideDeletionAfter: delay, makeStore) }
      }
    },
    SharedEngineCheck(
      "an import beside a deletion of a model inside one of its entries updates it, rejects the entry or creates another",
      needs: [.anyModels]
    ) { makeStore in
      for isChanged in [false, true] {
        for delay in 0..<40 { try await importingNested(isChanged: isChanged, besideDeletionAfter: delay, makeStore) }
      }
    },
  ]

  /// - Parameter delay: the suspensions of the task that deletes.
  @MainActor private static func importing(
    isAlone: Bool, besideDeletionAfter delay: Int, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    let (acme, umbrella) = (ContractCompany.named("Acme"), ContractCompany.named("Umbrella"))
    (acme.id.value, umbrella.id.value) = ("acme-\(delay)-\(isAlone)", "umbrella-\(delay)-\(isAlone)")
    try await store.create(acme)
    try await store.create(umbrella)
    let person = ContractPerson.named("Ada", age: 36)
    person.height.value = 1.7
    person.company.value = acme
    let identifier = try await store.create(person).identifier ?? ""
    let other = try await store.create(ContractPerson.named("Bob", age: 1))
    let entry: JSONValue = [
      "id": .int(person.id.value ?? 0), "name": "Ada", "age": 37, "company": .string(umbrella.identifier ?? ""),
    ]
    let json: JSONValue =
      isAlone ? [entry] : [["id": .int(other.id.value ?? 0), "age": 2], entry, ["name": "Cleo", "age": 3]]
    let delete: @MainActor @Sendable () async throws -> Void = {
      for _ in 0..<delay { await Task.yield() }
      try await store.delete(person)
    }
    let deletion = Task { try await delete() }
    let report = try await store.importModels(ContractPerson.self, fromJSON: try json.jsonData())
    try await deletion.value
    let stored = try await makeStore().list(ContractPerson.self).filter { $0.identifier == identifier }
    let new = report.created.filter { $0.identifier == identifier }
    let what = "(deleted after \(delay) suspensions: \(report))"
    try requireEqual(stored.count, new.count, "the number of records of created models \(what)")
    try requireEqual(
      new.first?.canonicalInstance(in: store.scope) === new.first, true,
      "whether the created model is the object \(what)")
    try require(!new.contains(person), "a deleted model was created \(what)")
    let results = new.count + report.rejected.count + report.updated.filter { $0 === person }.count
    try requireEqual(results, 1, "the number of results of the entry \(what)")
    if let rejection = report.rejected.first {
      let code = (rejection.error as? ModelStoreError)?.code
      try require(code == .conflict || code == .notFound, "the entry was rejected by \(rejection) \(what)")
    }
    if !isAlone {
      try requireEqual(
        report.updated.filter { $0 === other }.count, 1, "the number of results of the first entry \(what)")
      try requireEqual(report.created.filter { $0.name.value == "Cleo" }.count, 1, "the created others \(what)")
    }
    try require(!person.isPersisted, "the deleted model is persisted \(what)")
    for company in [acme, umbrella] {
      try require(company.employees.value?.contains(person) != true, "the deleted model is an employee \(what)")
    }
    for person in try await store.list(ContractPerson.self) { try await store.delete(person) }
  }

  /// - Parameters:
  ///   - isChanged: whether the entry changes the model inside it.
  ///   - delay: the suspensions of the task that deletes.
  @MainActor private static func importingNested(
    isChanged: Bool, besideDeletionAfter delay: Int, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    let company = ContractCompany.named("Acme")
    company.id.value = "acme"
    try await store.create(company)
    let name = isChanged ? "Umbrella" : "Acme"
    let json: JSONValue = [["name": "Ada", "company": ["id": "acme", "name": .string(name)]]]
    let delete: @MainActor @Sendable () async throws -> Void = {
      for _ in 0..<delay { await Task.yield() }
      try await store.delete(company)
    }
    let deletion = Task { try await delete() }
    let report = try await store.importModels(ContractPerson.self, fromJSON: try json.jsonData())
    try await deletion.value
    let what = "(deleted after \(delay) suspensions: \(report))"
    try require(!company.isPersisted, "the deleted company is persisted \(what)")
    try requireEqual(report.created.count + report.rejected.count, 1, "the number of results of the entry \(what)")
    let stored = try await makeStore().list(ContractCompany.self)
    for found in stored {
      let linked = report.created.first?.company.value
      try require(linked != nil && linked !== company, "a record of a deleted company is stored \(what)")
      try requireEqual(found.name.value, name, "the name of the created company \(what)")
    }
    if !report.rejected.isEmpty {
      try requireEqual(
        try await makeStore().count(ContractPerson.self), 0, "the number of people of a rejected entry \(what)")
    }
    for person in try await store.list(ContractPerson.self) { try await store.delete(person) }
    for company in try await store.list(ContractCompany.self) { try await store.delete(company) }
  }
}

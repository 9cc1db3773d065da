@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Saves of models that an open transaction of another task of the same store instance edited, saved or created.
  static let savingBesideTransactions: [SharedEngineCheck] = [
    SharedEngineCheck("a save by another task leaves out what an open transaction edited") { makeStore in
      try await savingEditedModel(makeStore)
    },
    SharedEngineCheck("a save by another task leaves out what an open transaction saved and set to the former value") {
      makeStore in
      try await savingBesideFormerValue(makeStore)
    },
    SharedEngineCheck("a save by another task writes an unsaved edit that an open transaction saved, without conflict")
    {
      makeStore in
      for fails in [false, true] { try await savingUncommittedEdit(makeStore, fails: fails) }
    },
    SharedEngineCheck("a partial save and a creation by another task leave out what an open transaction edited") {
      makeStore in
      try await savingPartOfEditedModel(makeStore)
      try await creatingEditedModel(makeStore)
    },
    SharedEngineCheck("a save in a transaction leaves out what another task edited since it began") { makeStore in
      try await savingBesideEdit(makeStore)
    },
    SharedEngineCheck("a model is not saved with a link to one that an open transaction of another task created") {
      makeStore in
      try await linkingCreatedModel(makeStore)
    },
  ]

  private struct Refusal: Error {}

  @MainActor private static func savingUncommittedEdit(
    _ makeStore: () async throws -> any ModelStore, fails: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    person.age.value = 5
    do {
      try await transaction(in: store) { store in
        try await store.save(person)
        try await beside(store) { try await $0.save(person) }
        if fails { throw Refusal() }
      }
    } catch is Refusal {
    } catch let error as ModelStoreError where error.code == .conflict {}
    try requireEqual(person.age.value, 5, "the age, fails: \(fails)")
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 5, "the stored age, fails: \(fails)")
    try await store.save(person)
    try require(!person.isDirty, "the person is dirty after a save, fails: \(fails)")
  }

  @MainActor private static func savingBesideFormerValue(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 36))
    try await failing(in: store) { store in
      person.age.value = 37
      try await store.save(person)
      person.age.value = 36
      try await beside(store) { store in
        person.name.value = "Augusta"
        try await store.save(person)
      }
    }
    try require(person.age.value == 36 && !person.isDirty, "the age is not as it was, or the person is dirty")
    let stored = try await makeStore().lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.name.value, "Augusta", "the stored name")
    try requireEqual(stored.age.value, 36, "the stored age")
  }

  @MainActor private static func savingPartOfEditedModel(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 0))
    do {
      try await transaction(in: store) { store in
        person.name.value = "Edited"
        try await beside(store) { store in
          person.age.value = 1
          try await store.update(person, fields: [person.name, person.age])
        }
        throw Refusal()
      }
    } catch is Refusal {}
    try requireEqual(person.name.value, "Ada", "the name")
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.name.value, "Ada", "the stored name")
    try requireEqual(stored.age.value, 1, "the stored age")
  }

  /// A new model that is in the scope, because it is linked to a stored one.
  @MainActor private static func creatingEditedModel(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let company = ContractCompany(), person = ContractPerson.named("Ada")
    company.id.value = "of an edited model"
    try await store.create(company)
    person.company.value = company
    do {
      try await transaction(in: store) { store in
        person.name.value = "Edited"
        try await beside(store) { store in
          try await requireError(.invalid, "of a creation beside a transaction") { try await store.save(person) }
        }
        throw Refusal()
      }
    } catch is Refusal {}
    try requireEqual(person.name.value, "Ada", "the name of the new person")
    try await store.save(person)
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.name.value, "Ada", "the stored name of the new person")
  }

  @MainActor private static func savingBesideEdit(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    func stored() async throws -> ContractPerson {
      try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    }
    try await transaction(in: store) { store in
      person.age.value = 5
      try await beside(store) { _ in person.height.value = 2 }
      try await store.save(person)
    }
    try require(person.dirtyFields.map(\.key) == ["height"], "the edit of the other task is not all that is unsaved")
    try requireEqual(try await stored().height.value, nil, "the stored height after the transaction")
    try requireEqual(try await stored().age.value, 5, "the stored age")
    try await store.save(person)
    try requireEqual(try await stored().height.value, 2, "the stored height")
  }

  @MainActor private static func savingEditedModel(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 0))
    person.height.value = 1.7
    do {
      try await transaction(in: store) { store in
        person.name.value = "Edited"
        try await beside(store) { store in
          person.age.value = 1
          try await store.save(person)
        }
        try require(person.name.isDirty, "the edit of the transaction is clean")
        throw Refusal()
      }
    } catch is Refusal {}
    try requireEqual(person.name.value, "Ada", "the name")
    try require(!person.isDirty, "the person is dirty")
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.name.value, "Ada", "the stored name")
    try requireEqual(stored.age.value, 1, "the stored age")
    try requireEqual(stored.height.value, 1.7, "the stored height")
  }

  @MainActor private static func linkingCreatedModel(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let (person, company) = (try await store.create(ContractPerson.named("Ada")), ContractCompany())
    company.id.value = "new"
    do {
      try await transaction(in: store) { store in
        try await store.create(company)
        try await beside(store) { store in
          person.company.value = company
          try await requireError(.invalid, "of a save with the link") { try await store.save(person) }
        }
        throw Refusal()
      }
    } catch is Refusal {}
    try await requireNoBrokenLinks(in: try await makeStore())
    try await store.create(company)
    try await store.save(person)
    try await requireNoBrokenLinks(in: try await makeStore())
  }

  @MainActor private static func requireNoBrokenLinks(in store: any ModelStore) async throws {
    let links = try await store.brokenLinks(of: [ContractPerson.self])
    try require(links.isEmpty, "there are broken links: \(links)")
  }
}

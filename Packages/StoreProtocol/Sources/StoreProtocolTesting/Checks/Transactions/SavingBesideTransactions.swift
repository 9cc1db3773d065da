@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Saves of models that an open transaction of another task of the same store instance edited, saved or created.
  static let savingBesideTransactions: [SharedEngineCheck] = [
    SharedEngineCheck("a save by another task leaves out what an open transaction edited") { makeStore in
      try await savingEditedModel(makeStore)
    },
    SharedEngineCheck("a save by another task leaves out what an open transaction saved and set to the previous value")
    {
      makeStore in
      try await savingBesideFormerValue(makeStore)
    },
    SharedEngineCheck("a save by another task writes an unsaved edit that an open transaction saved, without conflict")
    {
      makeStore in
      for fails in [false, true] { try await savingUncommittedEdit(makeStore, fails: fails) }
    },
    SharedEngineCheck("both sides of a link are saved if a save by another task stored it beside a failing transaction")
    {
      makeStore in
      try await savingUncommittedLink(makeStore)
    },
    SharedEngineCheck("a save beside a transaction that saved the same edit reports a conflict with another writer") {
      makeStore in
      for isLink in [false, true] { try await savingOverOtherWriter(makeStore, isLink: isLink) }
    },
    SharedEngineCheck("several saves by another task beside a transaction that saved the same edit have no conflict") {
      makeStore in
      try await savingTwice(makeStore)
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

  @MainActor private static func savingUncommittedLink(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let companies = ["old", "new"].map { name in
      let company = ContractCompany()
      company.id.value = "\(name) of the link"
      return company
    }
    for company in companies { try await store.create(company) }
    let person = ContractPerson.named("Ada"), other = ContractPerson.named("Bob")
    for member in [person, other] {
      member.company.value = companies[0]
      try await store.create(member)
    }
    for member in [person, other] { member.company.value = companies[1] }
    do {
      try await transaction(in: store) { store in
        try await store.save(person)
        try await beside(store) { try await $0.save(person) }
        throw Refusal()
      }
    } catch is Refusal {}
    try require(!person.isDirty && other.isDirty, "the wrong members are dirty")
    // The link of the other one is not stored yet.
    try await store.save(other)
    for company in companies { try require(!company.isDirty, "\(company.id.value ?? "") is dirty") }
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.company.value?.id.value, companies[1].id.value, "the stored employer")
  }

  @MainActor private static func savingTwice(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    person.age.value = 3
    do {
      try await transaction(in: store) { store in
        try await store.save(person)
        try await beside(store) { store in
          for name in ["Augusta", "Ada"] {
            person.name.value = name
            try await store.save(person)
          }
          person.age.value = 4
          try await store.save(person)
        }
      }
    } catch let error as ModelStoreError where error.code == .conflict && error.conflicts.isEmpty {}
    try requireEqual(person.age.value, 4, "the age")
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 4, "the stored age")
  }

  @MainActor private static func savingOverOtherWriter(
    _ makeStore: () async throws -> any ModelStore, isLink: Bool
  ) async throws {
    let store = try await makeStore(), writer = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let companies = ["old", "acme", "umbrella"].map { name in
      let company = ContractCompany()
      company.id.value = "\(name) \(isLink)"
      return company
    }
    for company in companies { try await store.create(company) }
    let person = ContractPerson.named("Ada", age: 1)
    person.company.value = companies[0]
    try await store.create(person)
    let identifier = person.identifier ?? ""
    let other = try await writer.lookup(ContractPerson.self, identifier: identifier)
    let umbrella = try await writer.lookup(ContractCompany.self, identifier: companies[2].identifier ?? "")
    if isLink { person.company.value = companies[1] } else { person.age.value = 3 }
    do {
      try await transaction(in: store) { store in
        try await store.save(person)
        if isLink { other.company.value = umbrella } else { other.age.value = 9 }
        try await beside(writer) { try await $0.save(other) }
        try await beside(store) { store in
          try await requireError(.conflict, "a save over another writer") { try await store.save(person) }
        }
      }
      throw ContractViolation("a transaction overwrites another writer")
    } catch let error as ModelStoreError where error.code == .conflict {}
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: identifier)
    if isLink {
      try requireEqual(stored.company.value?.id.value, companies[2].id.value, "the stored employer")
      try require(person.company.value === companies[1] && person.company.isDirty, "the edited link is lost")
    } else {
      try requireEqual(stored.age.value, 9, "the stored age")
      try require(person.age.value == 3 && person.age.isDirty, "the edit is lost")
    }
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

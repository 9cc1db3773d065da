@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Refreshes of models whose links an open transaction of the same store instance edits.
  static let refreshingBesideTransactions: [SharedEngineCheck] = [
    SharedEngineCheck("a move that a failed transaction refreshed is in no list that another task changed") {
      makeStore in
      for hasHistory in [false, true] { try await refreshingMoveBesideMove(makeStore, hasHistory: hasHistory) }
    },
    SharedEngineCheck("a refresh beside a transaction that edits a list changes both sides of a link") { makeStore in
      for fails in [false, true] { try await refreshingMember(makeStore, fails: fails) }
    },
    SharedEngineCheck("a refresh of a model whose links a transaction edits leaves both sides of them") { makeStore in
      for fails in [false, true] { try await refreshingMovedMember(makeStore, fails: fails) }
    },
  ]

  private struct Refusal: Error {}

  /// Another store instance moves a member to the list that a transaction edits.
  @MainActor private static func refreshingMember(
    _ makeStore: () async throws -> any ModelStore, fails: Bool
  ) async throws {
    let store = try await makeStore(), writer = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let (old, acme) = (ContractCompany(), ContractCompany())
    (old.id.value, acme.id.value) = ("old \(fails)", "acme \(fails)")
    for company in [old, acme] { try await store.create(company) }
    let ada = ContractPerson.named("Ada"), new = ContractPerson.named("New")
    ada.company.value = old
    try await store.create(ada)
    let other = try await writer.lookup(ContractPerson.self, identifier: ada.identifier ?? "")
    other.company.value = try await writer.lookup(ContractCompany.self, identifier: acme.identifier ?? "")
    try await writer.save(other)
    func requireBothSides(_ moment: String) throws {
      try require(ada.company.value === acme, "\(moment), fails: \(fails): the employer")
      try require(acme.employees.value?.contains(ada) == true, "\(moment), fails: \(fails): the employees")
      try require(old.employees.value?.contains(ada) != true, "\(moment), fails: \(fails): the previous employees")
    }
    do {
      try await transaction(in: store) { store in
        acme.employees.add(new)
        try await beside(store) { try await $0.refresh(ada) }
        try requireBothSides("after the refresh")
        if fails { throw Refusal() }
      }
    } catch is Refusal {}
    try requireBothSides("at the end")
  }

  /// A transaction moves a member itself.
  @MainActor private static func refreshingMovedMember(
    _ makeStore: () async throws -> any ModelStore, fails: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let companies = ["old", "new"].map { name in
      let company = ContractCompany()
      company.id.value = "\(name) \(fails)"
      return company
    }
    for company in companies { try await store.create(company) }
    let ada = ContractPerson.named("Ada")
    ada.company.value = companies[0]
    try await store.create(ada)
    let undo = ModelUndo(store.scope)
    func requireMember(of index: Int, _ moment: String) throws {
      try require(ada.company.value === companies[index], "\(moment), fails: \(fails): the employer")
      for (number, company) in companies.enumerated() {
        let isMember = company.employees.value?.contains(ada) == true
        try requireEqual(isMember, number == index, "\(moment), fails: \(fails): a member of company \(number)")
      }
    }
    do {
      try await transaction(in: store) { store in
        ada.company.value = companies[1]
        try await beside(store) { try await $0.refresh(ada) }
        try requireMember(of: 1, "after the refresh")
        try await store.save(ada)
        if fails { throw Refusal() }
      }
    } catch is Refusal {}
    try requireMember(of: fails ? 0 : 1, "at the end")
    try requireEqual(undo.canUndo, !fails, "fails: \(fails): whether the history has a step")
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: ada.identifier ?? "")
    try requireEqual(stored.company.value?.id.value, companies[fails ? 0 : 1].id.value, "the stored employer")
  }

  /// A transaction moves a member and refreshes it. In between, another task moves another member.
  @MainActor private static func refreshingMoveBesideMove(
    _ makeStore: () async throws -> any ModelStore, hasHistory: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let (old, acme) = (ContractCompany(), ContractCompany())
    (old.id.value, acme.id.value) = ("old \(hasHistory)", "acme \(hasHistory)")
    for company in [old, acme] { try await store.create(company) }
    let ada = ContractPerson.named("Ada"), grace = ContractPerson.named("Grace")
    for person in [ada, grace] {
      person.company.value = old
      try await store.create(person)
    }
    let undo = hasHistory ? ModelUndo(store.scope) : nil
    do {
      try await transaction(in: store) { store in
        ada.company.value = acme
        try await beside(store) { _ in grace.company.value = acme }
        try await store.refresh(ada)
        throw Refusal()
      }
    } catch is Refusal {}
    try require(ada.company.value === old, "history: \(hasHistory): the employer of the refreshed person")
    try require(grace.company.value === acme, "history: \(hasHistory): the employer of the other person")
    try requireEqual(old.employees.value ?? [], [ada], "history: \(hasHistory): the previous employees")
    try requireEqual(acme.employees.value ?? [], [grace], "history: \(hasHistory): the employees")
    try require(!ada.isDirty && grace.isDirty, "history: \(hasHistory): the wrong person is dirty")
    withExtendedLifetime(undo) {}
  }
}

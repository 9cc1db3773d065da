import StoreProtocol

extension ModelStoreContract {
  /// Transactions that fail after they replaced the model of a record.
  static let replacingRecords: [SharedEngineCheck] = [
    SharedEngineCheck("a stored model stays the object of its identifier after a failed transaction replaced it") {
      makeStore in
      for isNested in [false, true] { try await replacing(makeStore, isNested) }
    },
    SharedEngineCheck("a model that an outer transaction deleted is found by no other task after a nested one failed") {
      makeStore in
      try await deletingInBoth(makeStore)
    },
    SharedEngineCheck("a stream has no model whose creation was rolled back") { makeStore in
      try await streamingCreatedMember(makeStore)
    },
  ]

  private struct Refusal: Error {}

  private static func company(_ identifier: String, _ name: String) -> ContractCompany {
    let company = ContractCompany.named(name)
    company.id.value = identifier
    return company
  }

  /// Deletes a company, and creates another one with its identifier, which joined the scope before.
  @MainActor private static func replacing(
    _ makeStore: () async throws -> any ModelStore, _ isNested: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let former = company("acme \(isNested)", "former"), next = company("acme \(isNested)", "next")
    let person = ContractPerson.named("Ada")
    try await store.create(former)
    try await store.create(person)
    let replace: @MainActor @Sendable (any ModelStore) async throws -> Void = { store in
      try await store.delete(former)
      next.employees.add(person)
      try await store.create(next)
      throw Refusal()
    }
    do {
      try await transaction(in: store) { store in
        if !isNested { return try await replace(store) }
        do { try await transaction(in: store) { store in try await replace(store) } } catch is Refusal {}
      }
    } catch is Refusal {}
    let place = "nested: \(isNested)"
    let found = try await store.lookup(ContractCompany.self, identifier: former.identifier ?? "")
    try require(found === former && former.isPersisted, "another model is the object of the identifier, \(place)")
    try requireEqual(former.name.value, "former", "the name, \(place)")
    try require(!former.isDirty && !next.isPersisted, "a dirty stored model, or a stored new one, \(place)")
  }

  @MainActor private static func deletingInBoth(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let acme = try await store.create(company("acme", "Acme"))
    var found: ContractCompany?
    try await transaction(in: store) { store in
      try await store.delete(acme)
      do {
        try await transaction(in: store) { store in
          try await store.create(acme)
          try await store.delete(acme)
          throw Refusal()
        }
      } catch is Refusal {}
      try await beside(store) { store in
        found = try await store.lookup(ContractCompany.self, identifier: "acme")
      }
    }
    try require(found === acme, "another task found another object of a record that is being deleted")
    try require(!acme.isPersisted, "a deleted model is persisted")
    try requireEqual(try await store.count(ContractCompany.self), 0, "the number of companies")
  }

  @MainActor private static func streamingCreatedMember(
    _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada"))
    let known = try await store.create(company("known", "Known")), new = company("new", "New")
    person.company.value = new
    var found: [ContractCompany] = []
    var stream: StoredModelSequence<ContractCompany>.Iterator?
    do {
      try await transaction(in: store) { store in
        try await store.create(new)
        stream = store.stream(ContractCompany.self).makeAsyncIterator()
        if let first = try await stream?.next() { found.append(first) }
        new.name.value = "Newer"
        try await store.save(new)
        throw Refusal()
      }
    } catch is Refusal {}
    while let next = try await stream?.next() { found.append(next) }
    stream = nil
    try requireEqual(found, [known], "the models of the stream")
    try require(!new.isPersisted && person.company.value === new, "the new company is persisted, or was unlinked")
  }
}

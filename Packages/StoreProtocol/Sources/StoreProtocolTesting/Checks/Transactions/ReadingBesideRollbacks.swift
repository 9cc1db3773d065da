import StoreProtocol

extension ModelStoreContract {
  /// Reads that are in progress while a transaction ends.
  static let readingBesideRollbacks: [SharedEngineCheck] = [
    SharedEngineCheck("a stream that began in a transaction has no values of it after it failed") { makeStore in
      for isNested in [false, true] { try await streaming(makeStore, isNested) }
    },
    SharedEngineCheck("a model that is read before the commit of a deletion has no link to the deleted model") {
      makeStore in
      for fails in [false, true] { try await readingBeforeCommit(makeStore, fails: fails) }
    },
  ]

  private struct Refusal: Error {}

  /// - Parameter isNested: whether only a nested transaction fails.
  @MainActor private static func streaming(
    _ makeStore: () async throws -> any ModelStore, _ isNested: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let people = ["Ada", "Bob"].map { ContractPerson.named($0, age: 1) }
    for person in people { try await store.create(person) }
    let new = ContractPerson.named("Cleo", age: 1)
    var found: [ContractPerson] = []
    var stream: StoredModelSequence<ContractPerson>.Iterator?
    let edit: @MainActor @Sendable (any ModelStore) async throws -> Void = { store in
      try await store.create(new)
      people[1].age.value = 2
      try await store.save(people[1])
      stream = store.stream(ContractPerson.self).makeAsyncIterator()
      if let first = try await stream?.next() { found.append(first) }
      throw Refusal()
    }
    let finish: @MainActor @Sendable () async throws -> Void = {
      while let next = try await stream?.next() { found.append(next) }
      stream = nil
    }
    do {
      try await transaction(in: store) { store in
        if !isNested { return try await edit(store) }
        do { try await transaction(in: store) { store in try await edit(store) } } catch is Refusal {}
        try await finish()
      }
    } catch is Refusal {}
    try await finish()
    try requireEqual(found, people, "the models of the stream (nested: \(isNested))")
    try require(people[1].age.value == 1 && !people[1].isDirty, "a rolled back value (nested: \(isNested))")
    try require(!new.isPersisted, "a model whose creation was rolled back is persisted (nested: \(isNested))")
    for person in people { try await store.delete(person) }
  }

  /// - Parameter fails: whether the deletion is rolled back.
  @MainActor private static func readingBeforeCommit(
    _ makeStore: () async throws -> any ModelStore, fails: Bool
  ) async throws {
    let (other, store) = (try await makeStore(), try await makeStore())
    guard store is any TransactionalModelStore else { return }
    let company = ContractCompany.named("Acme")
    company.id.value = "acme \(fails)"
    try await other.create(company)
    let theirs = ContractPerson.named("Ada", age: 1)
    theirs.company.value = company
    try await other.create(theirs)
    let acme = try await store.lookup(ContractCompany.self, identifier: company.identifier ?? "")
    var person: ContractPerson?
    do {
      try await transaction(in: store) { store in
        try await store.delete(acme)
        try await beside(store) { store in
          person = try await store.lookup(ContractPerson.self, identifier: theirs.identifier ?? "")
        }
        if fails { throw Refusal() }
      }
    } catch is Refusal {}
    try require(person?.company.value === (fails ? acme : nil), "the company of the person, fails: \(fails)")
    try requireEqual(person?.isDirty, false, "whether the person is dirty, fails: \(fails)")
  }
}

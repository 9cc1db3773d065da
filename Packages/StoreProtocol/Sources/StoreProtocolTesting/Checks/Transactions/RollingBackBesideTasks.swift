@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Transactions that fail, beside other tasks and store instances.
  static let rollingBackBesideTasks: [SharedEngineCheck] = [
    SharedEngineCheck("a task that outlives a transaction does not save the edits of a later one") { makeStore in
      try await savingFromOutlivingTask(makeStore)
    },
    SharedEngineCheck("a model that an open transaction deleted stays the object of its identifier") { makeStore in
      for isRolledBack in [true, false] {
        for reading in DeletedReading.allCases { try await readingDeletedModel(makeStore, reading, isRolledBack) }
      }
    },
    SharedEngineCheck("a deletion by another task follows no links of an open transaction") { makeStore in
      try await deletingBesideMoves(makeStore)
    },
    SharedEngineCheck("a model has what others stored during a transaction that fails") { makeStore in
      for savesFirst in [true, false] {
        for isNested in [true, false] { try await storingDuringFailure(makeStore, savesFirst, isNested) }
      }
    },
  ]

  private struct Refusal: Error {}

  @MainActor private static func savingFromOutlivingTask(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    let (edited, edit) = AsyncStream.makeStream(of: Void.self)
    var task: Task<Void, any Error>?
    try await transaction(in: store) { store in
      task = Task { @MainActor in
        for await _ in edited {}
        person.age.value = 2
        try await store.save(person)
      }
    }
    do {
      try await transaction(in: store) { store in
        person.name.value = "rolled back"
        edit.finish()
        try await task?.value
        throw Refusal()
      }
    } catch is Refusal {}
    try requireEqual(person.name.value, "Ada", "the name")
    try require(!person.isDirty, "the person is dirty")
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.name.value, "Ada", "the stored name")
    try requireEqual(stored.age.value, 2, "the stored age")
  }

  private enum DeletedReading: CaseIterable {
    case list, lookup, stream
  }

  @MainActor private static func readingDeletedModel(
    _ makeStore: () async throws -> any ModelStore, _ reading: DeletedReading, _ isRolledBack: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "\(reading), rolled back: \(isRolledBack)"
    let company = ContractCompany.named("Acme"), person = ContractPerson.named(place, age: 1)
    company.id.value = place
    person.company.value = company
    try await store.create(company)
    try await store.create(person)
    let identifier = person.identifier ?? ""
    var found: ContractPerson?
    do {
      try await transaction(in: store) { store in
        try await store.delete(person)
        try await beside(store) { store in
          switch reading {
          case .list: found = try await store.list(ContractPerson.self).first { $0.identifier == identifier }
          case .lookup: found = try await store.lookup(ContractPerson.self, identifier: identifier)
          case .stream:
            for try await read in store.stream(ContractPerson.self) where read.identifier == identifier { found = read }
          }
        }
        try require(!person.isPersisted, "\(place): the person counts as stored inside the transaction")
        try await requireError(.notFound, "\(place): of a lookup inside the transaction") {
          _ = try await store.lookup(ContractPerson.self, identifier: identifier)
        }
        if isRolledBack { throw Refusal() }
      }
    } catch is Refusal {}
    try require(found === person, "\(place): another object was read")
    try requireEqual(person.isPersisted, isRolledBack, "\(place): whether the person counts as stored")
    guard isRolledBack else {
      try requireEqual(try await store.count(ContractPerson.self, where: { $0.name == .some(place) }), 0, place)
      return
    }
    try require(!person.isDirty, "\(place): the person is dirty")
    try require(person.company.value === company, "\(place): the company of the person is another one")
    try require(company.employees.value?.contains(person) == true, "\(place): the company lacks the person")
    person.age.value = 2
    try await store.save(person)
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: identifier)
    try requireEqual(stored.age.value, 2, "\(place): the stored age")
    try await store.delete(person)
    try await store.delete(company)
  }

  @MainActor private static func deletingBesideMoves(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let teams = try await withNames(["reds", "blues"]) { name in
      let team = ContractTeam()
      team.id.value = name
      return try await store.create(team)
    }
    let member = ContractMember()
    member.team.value = teams[0]
    try await store.create(member)
    var deletion: Task<Void, any Error>?
    do {
      try await transaction(in: store) { store in
        member.team.value = teams[1]
        try await store.save(member)
        let work: @MainActor @Sendable () async throws -> Void = { try await store.delete(teams[1]) }
        deletion = Task.detached { try await work() }
        for _ in 0..<100 { await Task.yield() }
        throw Refusal()
      }
    } catch is Refusal {}
    try await deletion?.value
    try require(member.isPersisted && member.team.value === teams[0], "the member left its team")
    try require(!member.wasDeleted && !member.isDirty, "the member was deleted, or is dirty")
    let other = try await makeStore()
    let stored = try await other.lookup(ContractMember.self, identifier: member.identifier ?? "")
    try requireEqual(stored.team.value?.identifier, "reds", "the stored team")
    try requireEqual(try await other.list(ContractTeam.self).map(\.identifier), ["reds"], "the stored teams")
  }

  @MainActor private static func withNames<Result>(
    _ names: [String], _ make: (String) async throws -> Result
  ) async throws -> [Result] {
    var results: [Result] = []
    for name in names { results.append(try await make(name)) }
    return results
  }

  @MainActor private static func storingDuringFailure(
    _ makeStore: () async throws -> any ModelStore, _ savesFirst: Bool, _ isNested: Bool
  ) async throws {
    let store = try await makeStore(), writer = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "saves first: \(savesFirst), nested: \(isNested)"
    let person = try await store.create(ContractPerson.named("old", age: 1))
    let identifier = person.identifier ?? ""
    func fail(in store: any ModelStore) async throws {
      do {
        try await transaction(in: store) { store in
          person.name.value = "rolled back"
          if savesFirst { try await store.save(person) }
          let written = try await writer.lookup(ContractPerson.self, identifier: identifier)
          written.name.value = "new"
          try await writer.save(written)
          try await beside(store) { _ = try await $0.list(ContractPerson.self) }
          throw Refusal()
        }
      } catch is Refusal {}
    }
    if isNested {
      try await transaction(in: store) { try await fail(in: $0) }
    } else {
      try await fail(in: store)
    }
    try requireEqual(person.name.value, "new", "\(place): the name")
    try require(!person.isDirty, "\(place): the person is dirty")
    try await store.delete(person)
  }
}

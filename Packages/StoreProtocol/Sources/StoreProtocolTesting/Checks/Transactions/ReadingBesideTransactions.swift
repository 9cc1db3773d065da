@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Reads by other tasks of models that an open transaction of the same store instance saved or created.
  static let readingBesideTransactions: [SharedEngineCheck] = [
    SharedEngineCheck("a read by another task leaves the values that an open transaction saved") { makeStore in
      for reading in Reading.allCases { try await readingSavedModels(makeStore, reading) }
    },
    SharedEngineCheck("a refresh by another task leaves the values that an open transaction edits") { makeStore in
      try await refreshingEditedModel(makeStore)
    },
    SharedEngineCheck("a read by another task leaves the links of models that an open transaction created") {
      makeStore in
      for reading in Reading.allCases where reading != .lookup && reading != .refresh {
        for fails in [true, false] { try await readingCreatedMembers(makeStore, reading, fails: fails) }
      }
    },
    SharedEngineCheck("a failed transaction restores an unsaved edit that it reverted, even after a read elsewhere") {
      makeStore in
      for reading in Reading.allCases { try await readingRevertedModel(makeStore, reading) }
    },
    SharedEngineCheck("an edit in a labelled step is undone after a failed transaction reverted it beside a read") {
      makeStore in
      try await revertingLabelledEdit(makeStore)
    },
    SharedEngineCheck("a revert by another task leaves the edits of an open transaction") { makeStore in
      try await revertingEditedModel(makeStore)
    },
    SharedEngineCheck("an observer's edit during a read by another task is an edit") { makeStore in
      for isRefresh in [false, true] {
        for fails in [false, true] { try await editingDuringRead(makeStore, isRefresh: isRefresh, fails: fails) }
      }
    },
    SharedEngineCheck("a nested transaction that fails beside a read restores what the outer one edited") { makeStore in
      try await readingBesideNested(makeStore)
    },
    SharedEngineCheck("a model that an open transaction deleted can't be refreshed by another task") { makeStore in
      for fails in [false, true] { try await refreshingDeletedModel(makeStore, fails: fails) }
    },
    SharedEngineCheck("a model that another task deletes while a transaction is open is new after a rollback") {
      makeStore in
      try await deletingSavedModel(makeStore)
    },
  ]

  private struct Refusal: Error {}

  private enum Reading: CaseIterable {
    case list, lookup, page, related, members, refresh, stream
  }

  /// Runs a part of a transaction's body, and then another task.
  @MainActor static func beside(
    _ store: any ModelStore, _ other: @escaping @MainActor (any ModelStore) async throws -> Void
  ) async throws {
    let work: @MainActor @Sendable () async throws -> Void = { try await other(store) }
    try await Task.detached { try await work() }.value
  }

  @MainActor private static func readingSavedModels(
    _ makeStore: () async throws -> any ModelStore, _ reading: Reading
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let (old, new) = (ContractCompany(), ContractCompany())
    (old.id.value, new.id.value) = ("old \(reading)", "new \(reading)")
    for company in [old, new] { try await store.create(company) }
    let person = ContractPerson.named("\(reading)", age: 0)
    person.company.value = old
    try await store.create(person)
    for fails in [true, false] {
      let (age, employer) = (person.age.value ?? 0, person.company.value)
      do {
        try await transaction(in: store) { store in
          for _ in 0..<3 {
            person.age.value = (person.age.value ?? 0) + 1
            person.company.value = person.company.value === old ? new : old
            try await store.save(person)
            try await beside(store) { try await read(person, reading, in: $0) }
          }
          if fails { throw Refusal() }
        }
      } catch is Refusal {}
      let isMoved = person.company.value !== employer
      try requireEqual(person.age.value, fails ? age : age + 3, "\(reading): the age, fails: \(fails)")
      try requireEqual(isMoved, !fails, "\(reading): whether the person moved, fails: \(fails)")
      try require(!person.isDirty, "\(reading): the person is dirty")
      let other = try await store.count(ContractPerson.self) {
        $0.age == person.age.value && $0.name == person.name.value
      }
      try requireEqual(other, 1, "\(reading): the number of people with the age")
    }
    try await read(person, reading, in: store)
    try requireEqual(person.age.value, 3, "\(reading): the age that is read")
    try require(person.company.value === new, "\(reading): the employer that is read")
  }

  @MainActor private static func readingCreatedMembers(
    _ makeStore: () async throws -> any ModelStore, _ reading: Reading, fails: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let company = ContractCompany(), person = ContractPerson.named("\(reading)")
    let what = "\(reading), fails: \(fails)"
    company.id.value = what
    try await store.create(company)
    do {
      try await transaction(in: store) { store in
        person.company.value = company
        try await store.save(person)
        try await beside(store) { try await read(person, reading, in: $0) }
        try require(person.company.value === company, "\(what): the link is cut")
        try requireEqual(company.employees.value, [person], "\(what): the employees")
        if fails { throw Refusal() }
      }
    } catch is Refusal {}
    try require(person.company.value === company, "\(what): the link is cut after the transaction")
    try requireEqual(person.isDirty, fails, "\(what): whether the person is dirty")
    try await store.save(person)
    let found = try await (try await makeStore()).list(ContractPerson.self) { $0.company == company }
    try requireEqual(found.map(\.identifier), [person.identifier], "\(what): the stored employees")
  }

  @MainActor private static func read(
    _ person: ContractPerson, _ reading: Reading, in store: any ModelStore
  ) async throws {
    switch reading {
    case .members:
      if let company = person.company.value { _ = try await store.list(in: company.employees) }
    case .list: _ = try await store.list(ContractPerson.self)
    case .lookup: _ = try await store.lookup(ContractPerson.self, identifier: person.identifier ?? "")
    case .page: _ = try await store.page(ModelQuery(ContractPerson.self), after: nil)
    case .related: _ = try await store.list(ContractCompany.self, including: [\.employees])
    case .refresh: try await store.refresh(person)
    case .stream: for try await _ in store.stream(ContractPerson.self) {}
    }
  }

  /// Another task reads a company, and an observer of its name edits a person that an open transaction saved.
  @MainActor private static func editingDuringRead(
    _ makeStore: () async throws -> any ModelStore, isRefresh: Bool, fails: Bool
  ) async throws {
    let store = try await makeStore(), writer = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let company = ContractCompany()
    (company.id.value, company.name.value) = ("\(isRefresh) \(fails)", "old")
    try await store.create(company)
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    let theirs = try await writer.lookup(ContractCompany.self, identifier: company.identifier ?? "")
    theirs.name.value = "new"
    try await writer.save(theirs)
    let observation = company.name.addObserver(updateImmediately: false) { _ in person.age.value = 9 }
    do {
      try await transaction(in: store) { store in
        person.age.value = 5
        try await store.save(person)
        try await beside(store) {
          if isRefresh { try await $0.refresh(company) } else { _ = try await $0.list(ContractCompany.self) }
        }
        try requireEqual(company.name.value, "new", "the name that is read")
        if fails { throw Refusal() }
      }
    } catch is Refusal {}
    observation.cancel()
    try requireEqual(person.age.value, 9, "the age that the observer set, refresh: \(isRefresh), fails: \(fails)")
    try require(person.age.isDirty, "the observer's edit is clean, refresh: \(isRefresh), fails: \(fails)")
    try await store.save(person)
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 9, "the stored age")
  }

  @MainActor private static func readingRevertedModel(
    _ makeStore: () async throws -> any ModelStore, _ reading: Reading
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let (old, new) = (ContractCompany(), ContractCompany())
    (old.id.value, new.id.value) = ("old \(reading)", "new \(reading)")
    for company in [old, new] { try await store.create(company) }
    let person = ContractPerson.named("\(reading)", age: 1)
    person.company.value = old
    try await store.create(person)
    person.age.value = 5
    person.company.value = new
    do {
      try await transaction(in: store) { store in
        person.revert()
        try requireEqual(person.age.value, 1, "\(reading): the age after the revert")
        try await beside(store) { try await read(person, reading, in: $0) }
        throw Refusal()
      }
    } catch is Refusal {}
    try requireEqual(person.age.value, 5, "\(reading): the age after the rollback")
    try require(person.company.value === new, "\(reading): the employer after the rollback")
    try require(person.age.isDirty && person.company.isDirty, "\(reading): the edits are no local changes any more")
    try await store.save(person)
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 5, "\(reading): the stored age")
    try requireEqual(stored.company.value?.id.value, new.id.value, "\(reading): the stored employer")
  }

  @MainActor private static func revertingLabelledEdit(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore(), writer = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    let identifier = person.identifier ?? ""
    let other = try await writer.lookup(ContractPerson.self, identifier: identifier)
    let undo = ModelUndo(store.scope)
    undo.beginStep("Form")
    person.age.value = 5
    do {
      try await transaction(in: store) { store in
        person.revert()
        other.age.value = 2
        try await beside(writer) { try await $0.save(other) }
        try await beside(store) { _ = try await $0.lookup(ContractPerson.self, identifier: identifier) }
        throw Refusal()
      }
    } catch is Refusal {}
    undo.endStep()
    try requireEqual(person.age.value, 5, "the age after the rollback")
    try require(undo.canUndo, "the edit is no step")
    _ = try undo.undo()
    try require(person.age.value != 5, "the undo leaves the edit")
  }

  @MainActor private static func revertingEditedModel(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 0))
    for fails in [true, false] {
      do {
        try await transaction(in: store) { store in
          person.age.value = 1
          try await store.save(person)
          person.age.value = 2
          try await beside(store) { _ in
            person.height.value = 2
            person.revert()
          }
          try requireEqual(person.age.value, 2, "the age after the revert, fails: \(fails)")
          if fails { throw Refusal() }
          try await store.save(person)
        }
      } catch is Refusal {}
      try requireEqual(person.age.value, fails ? 0 : 2, "the age, fails: \(fails)")
      try require(person.height.value == nil && !person.isDirty, "the person is dirty, fails: \(fails)")
    }
    person.age.value = 3
    try await store.save(person)
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 3, "the stored age")
  }

  @MainActor private static func refreshingEditedModel(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let (old, new) = (ContractCompany(), ContractCompany())
    (old.id.value, new.id.value) = ("old", "new")
    for company in [old, new] { try await store.create(company) }
    let person = ContractPerson.named("Ada", age: 0)
    person.company.value = old
    try await store.create(person)
    try await transaction(in: store) { store in
      person.age.value = 1
      person.company.value = new
      try await beside(store) { try await $0.refresh(person) }
      try require(person.age.isDirty && person.company.isDirty, "an edit of the transaction is clean")
      try await store.save(person)
    }
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 1, "the stored age")
    try requireEqual(stored.company.value?.identifier, "new", "the stored employer")
  }

  @MainActor private static func readingBesideNested(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    try await transaction(in: store) { store in
      person.age.value = 2
      do {
        try await transaction(in: store) { store in
          person.age.value = 3
          try await store.save(person)
          try await beside(store) { _ = try await $0.list(ContractPerson.self) }
          throw Refusal()
        }
      } catch is Refusal {}
      try requireEqual(person.age.value, 2, "the age after the nested transaction")
      try await store.save(person)
    }
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 2, "the stored age")
  }

  @MainActor private static func refreshingDeletedModel(
    _ makeStore: () async throws -> any ModelStore, fails: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    do {
      try await transaction(in: store) { store in
        try await store.delete(person)
        try await beside(store) { store in
          try await requireError(.conflict, "refresh") { try await store.refresh(person) }
        }
        if fails { throw Refusal() }
      }
    } catch is Refusal {}
    try requireEqual(person.isPersisted, fails, "whether the person counts as stored, fails: \(fails)")
    if fails { return try await store.refresh(person) }
    try await store.save(person)
    try requireEqual(try await store.count(ContractPerson.self), 1, "the number of people after another creation")
  }

  @MainActor private static func deletingSavedModel(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    var deletion: Task<Void, any Error>?
    do {
      try await transaction(in: store) { store in
        person.age.value = 2
        try await store.save(person)
        // It may wait for the end of the transaction.
        let work: @MainActor @Sendable () async throws -> Void = { try await store.delete(person) }
        deletion = Task.detached { try await work() }
        for _ in 0..<100 where person.isPersisted { await Task.yield() }
        throw Refusal()
      }
    } catch is Refusal {}
    try await deletion?.value
    try require(!person.isPersisted, "the person counts as stored")
    try requireEqual(person.age.value, 1, "the age")
    try requireEqual(try await store.count(ContractPerson.self), 0, "the number of people")
    try await store.save(person)
    try requireEqual(try await store.count(ContractPerson.self), 1, "the number of people after another creation")
  }
}

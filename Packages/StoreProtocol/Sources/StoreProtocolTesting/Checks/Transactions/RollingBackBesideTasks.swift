@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Transactions that fail, beside other tasks and store instances.
  static let rollingBackBesideTasks: [SharedEngineCheck] = [
    SharedEngineCheck("a task that outlives a transaction does not save the edits of a later one") { makeStore in
      try await savingFromOutlivingTask(makeStore)
    },
    SharedEngineCheck("an undo of an edit beside a transaction that fails restores no value of the transaction") {
      makeStore in
      for saves in [false, true] {
        for editsAgain in [false, true] { try await undoingEditOfEditedField(makeStore, saves, editsAgain) }
      }
    },
    SharedEngineCheck("an undo of a link beside a transaction that fails restores no link of the transaction") {
      makeStore in
      for saves in [false, true] { try await undoingLinkOfEditedRelation(makeStore, saves) }
    },
    SharedEngineCheck("an undo of an edit beside a transaction that saved the field and fails leaves it unsaved") {
      makeStore in
      for isNested in [false, true] { try await undoingEditOfSavedField(makeStore, isNested) }
    },
    SharedEngineCheck("a model has what others stored during a transaction that fails") { makeStore in
      for savesFirst in [true, false] {
        for isNested in [true, false] {
          for isCancelled in [false, true] {
            try await storingDuringFailure(makeStore, savesFirst, isNested, isCancelled)
          }
        }
      }
    },
  ]

  private struct Refusal: Error {}

  /// - Parameters:
  ///   - saves: whether the transaction saves its edit.
  ///   - editsAgain: whether the transaction edits the field once more.
  @MainActor private static func undoingEditOfEditedField(
    _ makeStore: () async throws -> any ModelStore, _ saves: Bool, _ editsAgain: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "saves: \(saves), edits again: \(editsAgain)"
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    let undo = ModelUndo(store.scope)
    do {
      try await transaction(in: store) { store in
        person.age.value = 2
        if saves { try await store.save(person) }
        try await beside(store) { _ in
          person.age.value = 3
          var reason: ModelUndoError.Reason?
          do { _ = try undo.undo() } catch let error as ModelUndoError { reason = error.reason }
          try requireEqual(reason, .openStep, "\(place): the error of an undo to a value of the transaction")
        }
        if editsAgain { person.age.value = 4 }
        throw Refusal()
      }
    } catch is Refusal {}
    try requireEqual(person.age.value, 3, "\(place): the age")
    _ = try undo.undo()
    try requireEqual(person.age.value, 1, "\(place): the age after the undo")
    try require(!undo.canUndo, "\(place): a step of the transaction is left")
    _ = try undo.redo()
    try requireEqual(person.age.value, 3, "\(place): the age after the redo")
    try await store.save(person)
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 3, "\(place): the stored age")
  }

  @MainActor private static func undoingLinkOfEditedRelation(
    _ makeStore: () async throws -> any ModelStore, _ saves: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let companies = ["first", "second", "third"].map { name in
      let company = ContractCompany.named(name)
      company.id.value = "\(name) \(saves)"
      return company
    }
    for company in companies { try await store.create(company) }
    let person = ContractPerson.named("Ada", age: 1)
    person.company.value = companies[0]
    try await store.create(person)
    let undo = ModelUndo(store.scope)
    try await failing(in: store) { store in
      person.company.value = companies[1]
      if saves { try await store.save(person) }
      try await beside(store) { _ in person.company.value = companies[2] }
    }
    try require(person.company.value === companies[2], "the company, saves: \(saves)")
    for (isUndo, number) in [(true, 0), (false, 2), (true, 0)] {
      _ = isUndo ? try undo.undo() : try undo.redo()
      for (index, company) in companies.enumerated() {
        let isLinked = company.employees.value?.contains { $0 === person } == true
        try requireEqual(
          isLinked, index == number, "whether \(company.name.value ?? "") has the person, saves: \(saves)")
      }
      try require(person.company.value === companies[number], "the company after an undo or redo, saves: \(saves)")
    }
    try require(!undo.canUndo, "a step of the transaction is left, saves: \(saves)")
  }

  /// A transaction saves edits from before it, and another task edits the fields again.
  @MainActor private static func undoingEditOfSavedField(
    _ makeStore: () async throws -> any ModelStore, _ isNested: Bool
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "nested: \(isNested)"
    let companies = ["first", "second", "third"].map { name in
      let company = ContractCompany()
      company.id.value = "\(name) \(isNested)"
      return company
    }
    for company in companies { try await store.create(company) }
    let person = ContractPerson.named("Ada", age: 1)
    person.company.value = companies[0]
    try await store.create(person)
    person.age.value = 2
    person.company.value = companies[1]
    let undo = ModelUndo(store.scope)
    func fail(in store: any ModelStore) async throws {
      try await failing(in: store) { store in
        try await store.save(person)
        try await beside(store) { _ in
          undo.step {
            person.age.value = 3
            person.company.value = companies[2]
          }
        }
      }
    }
    if isNested {
      try await transaction(in: store) { try await fail(in: $0) }
    } else {
      try await fail(in: store)
    }
    try requireEqual(person.age.value, 3, "\(place): the age")
    try require(person.company.value === companies[2], "\(place): the company")
    let changes = try undo.undo()
    try requireEqual(person.age.value, 2, "\(place): the undone age")
    try require(person.company.value === companies[1], "\(place): the undone company")
    try require(person.age.isDirty && person.company.isDirty, "\(place): a value that is not stored is clean")
    try await store.save(changes)
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 2, "\(place): the stored age")
    try requireEqual(stored.company.value?.identifier, companies[1].identifier, "\(place): the stored company")
  }

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

  @MainActor private static func storingDuringFailure(
    _ makeStore: () async throws -> any ModelStore, _ savesFirst: Bool, _ isNested: Bool, _ isCancelled: Bool
  ) async throws {
    let store = try await makeStore(), writer = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let place = "saves first: \(savesFirst), nested: \(isNested), cancelled: \(isCancelled)"
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
          if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
          throw Refusal()
        }
      } catch is Refusal {}
    }
    let task = Task { @MainActor in
      if !isNested { return try await fail(in: store) }
      try await transaction(in: store) { try await fail(in: $0) }
    }
    do { try await task.value } catch let error as ModelStoreError where error.code == .cancelled && isCancelled {}
    try requireEqual(person.name.value, "new", "\(place): the name")
    try require(!person.isDirty, "\(place): the person is dirty")
    try await store.delete(person)
  }
}

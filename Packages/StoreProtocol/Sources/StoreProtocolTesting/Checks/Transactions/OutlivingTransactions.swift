@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

extension ModelStoreContract {
  /// Tasks that begin inside a transaction, and go on after its end.
  static let outlivingTransactions: [SharedEngineCheck] = [
    SharedEngineCheck("a nested transaction that outlives the outer one writes nothing, and reports a conflict") {
      makeStore in
      for ending in [Ending.commit, .failure] {
        try await nestedOutliving(ending, makeStore, throwing: nil)
        try await nestedOutliving(ending, makeStore, throwing: Refusal())
      }
    },
    SharedEngineCheck("a nested transaction that outlives one inside another writes nothing, and reports a conflict") {
      makeStore in
      for ending in [Ending.commit, .failure] { try await nestedOutlivingNested(ending, makeStore) }
    },
    SharedEngineCheck("writes of a task after the end of its transaction are committed separately") { makeStore in
      try await workingAfterwards(makeStore)
    },
    SharedEngineCheck("a save of a task that outlives its transaction is stored, or reports an error") { makeStore in
      for ending in [Ending.commit, .failure] {
        for (earlier, later) in (0..<4).flatMap({ first in (0..<9).map { (first, $0) } }) {
          try await savingAtEnd(ending, makeStore, earlier, later)
        }
      }
    },
  ]

  private struct Refusal: Error {}

  /// The end of a transaction.
  private enum Ending {
    case commit, failure

    func reach() throws { if self == .failure { throw Refusal() } }
  }

  /// Ends a transaction while a nested one of another task has written one of two people.
  @MainActor private static func nestedOutliving(
    _ ending: Ending, _ makeStore: () async throws -> any ModelStore, throwing refusal: Refusal?
  ) async throws {
    let store = try await makeStore()
    // Stores that have none promise nothing.
    guard store is any TransactionalModelStore else { return }
    let ada = try await store.create(ContractPerson.named("Ada", age: 1))
    let bob = try await store.create(ContractPerson.named("Bob", age: 1))
    let new = ContractPerson.named("Cleo", age: 1)
    let (written, write) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    var errors: [ModelStoreError.Code] = []
    var part: Task<Void, any Error>?
    do {
      try await transaction(in: store) { store in
        ada.age.value = 2
        try await store.save(ada)
        part = Task { @MainActor in
          try await transaction(in: store) { store in
            ada.age.value = 3
            try await store.save(ada)
            try await store.create(new)
            write.finish()
            for await _ in ended {}
            bob.age.value = 3
            do { try await store.save(bob) } catch let error as ModelStoreError { errors.append(error.code) }
            do {
              try await transaction(in: store) { try await $0.create(ContractPerson.named("Dora")) }
            } catch let error as ModelStoreError { errors.append(error.code) }
            if let refusal { throw refusal }
          }
        }
        for await _ in written {}
        try ending.reach()
      }
    } catch is Refusal {}
    let age = ending == .commit ? 2 : 1
    try requireEqual(ada.age.value, age, "the age of the model after the transaction")
    end.finish()
    do {
      try await part?.value
      throw ContractViolation("a nested transaction succeeds that was not written")
    } catch is Refusal {
      try require(refusal != nil, "a nested transaction throws what its body did not throw")
    } catch let error as ModelStoreError where error.code == .conflict {
      try require(refusal == nil, "a nested transaction throws another error than its body")
    }
    try requireEqual(errors, [.conflict, .conflict], "the errors of the calls after the end")
    let stored = try await makeStore().list(ContractPerson.self)
    try requireEqual(stored.map(\.name.value), ["Ada", "Bob"], "who is stored")
    try requireEqual(stored.map(\.age.value), [age, 1], "the stored ages")
    try requireEqual([ada.age.value, bob.age.value], [age, 1], "the ages of the models")
    try require(!ada.isDirty && !bob.isDirty, "a model that was rolled back is dirty")
    try require(new.identifier == nil && new.isDirty, "a model whose creation was rolled back is not new")
    bob.age.value = 4
    try await store.save(bob)
    try await store.create(new)
    try requireEqual(try await store.list(ContractPerson.self).map(\.age.value), [age, 4, 1], "the ages after all")
    for person in try await store.list(ContractPerson.self) { try await store.delete(person) }
  }

  /// Ends a nested transaction while one inside it, of another task, has created a person.
  @MainActor private static func nestedOutlivingNested(
    _ ending: Ending, _ makeStore: () async throws -> any ModelStore
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let (written, write) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    try await transaction(in: store) { store in
      var part: Task<Void, any Error>?
      do {
        try await transaction(in: store) { store in
          try await store.create(ContractPerson.named("Ada"))
          part = Task { @MainActor in
            try await transaction(in: store) { store in
              try await store.create(ContractPerson.named("Bob"))
              write.finish()
              for await _ in ended {}
            }
          }
          for await _ in written {}
          try ending.reach()
        }
      } catch is Refusal {}
      end.finish()
      do {
        try await part?.value
        throw ContractViolation("a nested transaction succeeds that was not written")
      } catch let error as ModelStoreError where error.code == .conflict {}
    }
    let names = try await makeStore().list(ContractPerson.self).map(\.name.value)
    try requireEqual(names, ending == .commit ? ["Ada"] : [], "who is stored")
    for person in try await store.list(ContractPerson.self) { try await store.delete(person) }
  }

  /// Writes in a task that a transaction began, after its end.
  @MainActor private static func workingAfterwards(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    let gone = try await store.create(ContractPerson.named("Bob"))
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    var task: Task<Void, any Error>?
    do {
      try await transaction(in: store) { store in
        task = Task { @MainActor in
          for await _ in ended {}
          person.age.value = 2
          try await store.save(person)
          try await store.delete(gone)
          try await transaction(in: store) { try await $0.create(ContractPerson.named("Cleo")) }
        }
        throw Refusal()
      }
    } catch is Refusal {}
    end.finish()
    try await task?.value
    let stored = try await makeStore().list(ContractPerson.self)
    try requireEqual(stored.map(\.name.value), ["Ada", "Cleo"], "who is stored")
    try requireEqual(stored.map(\.age.value), [2, nil], "the stored ages")
  }

  /// Ends a transaction while a task that it began edits and saves a person.
  ///
  /// - Parameters:
  ///   - earlier: the suspensions of the task before the edit.
  ///   - later: the suspensions of the transaction before its end.
  @MainActor private static func savingAtEnd(
    _ ending: Ending, _ makeStore: () async throws -> any ModelStore, _ earlier: Int, _ later: Int
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    var task: Task<Void, any Error>?
    do {
      try await transaction(in: store) { store in
        task = Task { @MainActor in
          for _ in 0..<earlier { await Task.yield() }
          person.age.value = 2
          try await store.save(person)
        }
        for _ in 0..<later { await Task.yield() }
        try ending.reach()
      }
    } catch is Refusal {}
    let result = await task?.result
    let stored = try await makeStore().lookup(ContractPerson.self, identifier: person.identifier ?? "")
    let what = "(\(ending), after \(earlier) and \(later) suspensions)"
    if !person.isDirty { try requireEqual(person.age.value, stored.age.value, "the age of a clean model \(what)") }
    if ending == .commit, case .success? = result { try requireEqual(stored.age.value, 2, "the saved age \(what)") }
    try await store.delete(person)
  }
}

import StoreProtocol

extension ModelStoreContract {
  static let savingDeletedModels = SharedEngineCheck(
    "a model that an open transaction of another task deleted can be saved again if that fails"
  ) { makeStore in
    try await savingDeletedModel(makeStore)
    for step in 0..<6 { try await savingOverDeletion(makeStore, step) }
  }

  @MainActor private static func savingDeletedModel(_ makeStore: () async throws -> any ModelStore) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    do {
      try await transaction(in: store) { store in
        try await store.delete(person)
        try await beside(store) { store in
          try await requireError(.conflict, "of a save beside the deletion") { try await store.save(person) }
          try await requireError(.conflict, "of an update beside the deletion") { try await store.update(person) }
        }
        throw Refusal()
      }
    } catch is Refusal {}
    person.age.value = 5
    try await store.save(person)
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(stored.age.value, 5, "the stored age")
  }

  /// A save that begins before the deletion, and may end after it.
  ///
  /// - Parameter step: the step of the save at which the transaction begins.
  @MainActor private static func savingOverDeletion(
    _ makeStore: () async throws -> any ModelStore, _ step: Int
  ) async throws {
    let store = try await makeStore()
    guard store is any TransactionalModelStore else { return }
    let person = try await store.create(ContractPerson.named("Ada", age: 1))
    person.age.value = 2
    let saving = Task { @MainActor in _ = try? await store.save(person) }
    for _ in 0..<step { await Task.yield() }
    do {
      try await transaction(in: store) { store in
        try await store.delete(person)
        for _ in 0..<50 { await Task.yield() }
        throw Refusal()
      }
    } catch is Refusal {}
    await saving.value
    let stored = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(person.age.isDirty, stored.age.value != 2, "step \(step): whether the age is unsaved")
    person.age.value = 3
    try await store.save(person)
    let last = try await (try await makeStore()).lookup(ContractPerson.self, identifier: person.identifier ?? "")
    try requireEqual(last.age.value, 3, "step \(step): the stored age")
  }

  static let deletingInTransactions: [Check] = [
    Check("a transaction may delete a model after the models whose rule denied its deletion", needs: [.transactions]) {
      store in
      let (team, debt) = try await teamWithDebt(in: store)
      try await transaction(in: store) { store in
        try await store.delete(debt)
        try await store.delete(team)
      }
      try requireEqual(try await store.count(ContractTeam.self), 0, "the number of teams")
      try requireEqual(try await store.count(ContractDebt.self), 0, "the number of debts")
      try require(debt.team.value == nil && team.debts.value?.isEmpty != false, "a link of deleted models is left")
    },
    Check("a deletion is denied again once the deletion of the denying model was rolled back", needs: [.transactions]) {
      store in
      let (team, debt) = try await teamWithDebt(in: store)
      try await transaction(in: store) { store in
        do {
          try await transaction(in: store) { store in
            try await store.delete(debt)
            throw Refusal()
          }
        } catch is Refusal {}
        try await requireError(.denied, "a deletion after a rolled back one") { try await store.delete(team) }
        do {
          try await transaction(in: store) { store in
            try await store.delete(debt)
            try await store.delete(team)
            throw Refusal()
          }
        } catch is Refusal {}
        try await requireError(.denied, "a deletion after two rolled back ones") { try await store.delete(team) }
      }
      try require(debt.team.value === team && team.debts.value == [debt], "a link was cut")
      try await requireError(.denied, "a deletion after the transaction") { try await store.delete(team) }
      try requireEqual(try await store.count(ContractTeam.self), 1, "the number of teams")
    },
    Check("a transaction denies a deletion because of a model that it created again", needs: [.transactions]) { store in
      let (team, debt) = try await teamWithDebt(in: store)
      try await transaction(in: store) { store in
        try await store.delete(debt)
        debt.team.value = team
        try await store.create(debt)
        try await requireError(.denied, "the deletion") { try await store.delete(team) }
      }
      try require(debt.team.value === team && !debt.isDirty, "the link was cut, or is dirty")
      try await requireError(.denied, "the deletion after the transaction") { try await store.delete(team) }
    },
    Check("a transaction may delete a model after the models of its cascade", needs: [.transactions]) { store in
      let team = ContractTeam(), member = ContractMember()
      team.id.value = "reds"
      try await store.create(team)
      member.team.value = team
      try await store.create(member)
      let identifier = member.identifier
      do {
        try await transaction(in: store) { store in
          try await store.delete(member)
          try await store.delete(team)
          throw Refusal()
        }
      } catch is Refusal {}
      try require(member.team.value === team && member.identifier == identifier, "the model is not as it was")
      let found = try await store.lookup(ContractMember.self, identifier: identifier ?? "")
      try require(found === member, "the model is not the one object")
      try await transaction(in: store) { store in
        try await store.delete(member)
        try await store.delete(team)
      }
      try requireEqual(try await store.count(ContractMember.self), 0, "the number of members")
      try require(member.wasDeleted, "afterDelete did not run")
    },
    Check(
      "deleteAll deletes models that deny each other's deletion, in any order",
      needs: [.anyModels, .queries, .transactions]
    ) { store in
      for ascending in [true, false] {
        try await nestFolders(4, ascending, in: store)
        try requireEqual(try await store.deleteAll(ContractFolder.self), 4, "the number")
        try requireEqual(try await store.count(ContractFolder.self), 0, "the number of folders")
        let folders = try await nestFolders(4, ascending, in: store)
        let inner = folders[3]
        try await requireError(.denied, "deleteAll of all but the innermost") {
          try await store.deleteAll(ContractFolder.self, where: { $0.id != inner.id.value })
        }
        try requireEqual(try await store.count(ContractFolder.self), 4, "the number of folders")
        try require(zip(folders, folders.dropFirst()).allSatisfy { $1.parent.value === $0 }, "a link was cut")
        try await store.deleteAll(ContractFolder.self)
      }
    },
    Check("deleteAll deletes models of which one deletes another by cascade", needs: [.anyModels, .queries]) { store in
      let outer = ContractFolder(), shortcuts = [ContractFolder(), ContractFolder()]
      try await store.create(outer)
      for shortcut in shortcuts {
        shortcut.target.value = outer
        try await store.create(shortcut)
      }
      try requireEqual(try await store.deleteAll(ContractFolder.self), 3, "the number")
      try requireEqual(try await store.count(ContractFolder.self), 0, "the number of folders")
    },
  ]

  private struct Refusal: Error {}

  private static func teamWithDebt(
    in store: any ModelStore
  ) async throws -> (team: ContractTeam, debt: ContractDebt) {
    let team = ContractTeam(), debt = ContractDebt()
    team.id.value = "reds"
    try await store.create(team)
    debt.team.value = team
    try await store.create(debt)
    return (team, debt)
  }

  /// Stores folders, each inside the one before it.
  @discardableResult
  private static func nestFolders(
    _ count: Int, _ ascending: Bool, in store: any ModelStore
  ) async throws -> [ContractFolder] {
    let folders = (0..<count).map { number in
      let folder = ContractFolder()
      folder.id.value = ascending ? number : count - number
      return folder
    }
    for (number, folder) in folders.enumerated() {
      if number > 0 { folder.parent.value = folders[number - 1] }
      try await store.create(folder)
    }
    return folders
  }
}

/// A model that can't be deleted while others are inside, and takes those that refer to it along.
final class ContractFolder: Model {
  let id = Field<Int>()
  let parent = ModelField<ContractFolder>(foreignKey: true, inverse: \.folders)
  let folders = ModelField<ContractFolder>(foreignKey: true, deleteRule: .deny)*
  let target = ModelField<ContractFolder>(foreignKey: true, inverse: \.shortcuts)
  let shortcuts = ModelField<ContractFolder>(foreignKey: true, deleteRule: .cascade)*

  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, parent, target] }
}

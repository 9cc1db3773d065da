import StoreProtocol

extension ModelStoreContract {
  /// Deletions after other deletions of the same transaction, whose live links are cut only at its end.
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

import StoreProtocol

extension ModelStoreContract {
  /// Transactions of several store instances, if a store has transactions.
  static let transactionsTogether: [SharedEngineCheck] = [
    SharedEngineCheck("a transaction that changes what another instance changed meanwhile ends with conflict") {
      makeStore in
      let first = try await makeStore(), second = try await makeStore()
      guard first is any TransactionalModelStore else { return }
      let identifier = try await first.create(ContractPerson.named("Ada", age: 10)).identifier ?? ""
      try await requireError(.conflict, "a transaction that read a model before another instance changed it") {
        try await transaction(in: first) { store in
          let person = try await store.lookup(ContractPerson.self, identifier: identifier)
          let same = try await second.lookup(ContractPerson.self, identifier: identifier)
          same.age.value = 7
          try await second.update(same)
          person.age.value = (person.age.value ?? 0) - 5
          try await store.update(person)
        }
      }
      let found = try await makeStore().lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(found.age.value, 7, "the age")
    },
    SharedEngineCheck("a transaction is not disturbed by what was written before it began") { makeStore in
      let first = try await makeStore(), second = try await makeStore()
      guard first is any TransactionalModelStore else { return }
      let person = try await first.create(ContractPerson.named("Ada", age: 10))
      let same = try await second.lookup(ContractPerson.self, identifier: person.identifier ?? "")
      same.age.value = 7
      try await second.update(same)
      try await transaction(in: first) { store in
        _ = try await store.lookup(ContractPerson.self, identifier: person.identifier ?? "")
        person.age.value = (person.age.value ?? 0) - 5
        try await store.update(person)
        person.age.value = (person.age.value ?? 0) - 1
        try await store.update(person)
      }
      let found = try await makeStore().lookup(ContractPerson.self, identifier: person.identifier ?? "")
      try requireEqual(found.age.value, 1, "the age")
    },
    SharedEngineCheck("transactions of 4 tasks that count in one model lose nothing if they restart after a conflict") {
      makeStore in
      let first = try await makeStore()
      guard first is any TransactionalModelStore else { return }
      let identifier = try await first.create(ContractPerson.named("Ada", age: 0)).identifier ?? ""
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<10 { try await count(identifier, makeStore) }
          }
        }
        try await group.waitForAll()
      }
      let found = try await makeStore().lookup(ContractPerson.self, identifier: identifier)
      try requireEqual(found.age.value, 40, "the count")
    },
    SharedEngineCheck("a deletion beside a transaction that adds a reference leaves no broken link") { makeStore in
      try await deletingBesideTransactions(makeStore)
    },
  ]

  /// Deletes teams while transactions of another instance create members and debts of them.
  @MainActor private static func deletingBesideTransactions(_ makeStore: () async throws -> any ModelStore) async throws
  {
    let first = try await makeStore(), second = try await makeStore()
    guard first is any TransactionalModelStore else { return }
    for round in 0..<12 {
      let team = ContractTeam(), identifier = "team \(round)"
      team.id.value = identifier
      try await first.create(team)
      let deletion = Task { @MainActor in
        do { try await first.delete(team) } catch let error as ModelStoreError where error.code == .denied {}
      }
      let creation = Task { @MainActor in
        do {
          try await transaction(in: second) { store in
            let found = try await store.lookup(ContractTeam.self, identifier: identifier)
            if round % 2 == 0 {
              let member = ContractMember()
              member.team.value = found
              try await store.create(member)
            } else {
              let debt = ContractDebt()
              debt.team.value = found
              try await store.create(debt)
            }
          }
        } catch let error as ModelStoreError where error.code == .conflict || error.code == .notFound {}
      }
      try await deletion.value
      try await creation.value
    }
    let types: [any Model.Type] = [ContractMember.self, ContractDebt.self]
    try requireEqual(try await makeStore().brokenLinks(of: types).count, 0, "the number of broken links")
  }

  /// Adds one to the age of a person, as often as it takes.
  private static func count(
    _ identifier: String, _ makeStore: @Sendable () async throws -> any ModelStore
  ) async throws {
    while true {
      let instance = try await makeStore()
      do {
        return try await transaction(in: instance) { store in
          let person = try await store.lookup(ContractPerson.self, identifier: identifier)
          await Task.yield()
          person.age.value = (person.age.value ?? 0) + 1
          try await store.update(person)
        }
      } catch let error as ModelStoreError where error.code == .conflict {
        continue
      }
    }
  }
}

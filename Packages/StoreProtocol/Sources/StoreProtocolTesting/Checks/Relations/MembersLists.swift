import ModelCore
import StoreProtocol

// The unsaved changes of lists that only their members store.
extension ModelStoreContract {
  static let membersLists: [Check] = [
    Check("a list that only its members store is clean once they are saved, and a revert of it keeps them") { store in
      let company = try await makeCompany("acme", in: store)
      let ada = ContractPerson.named("Ada"), bob = ContractPerson.named("Bob")
      ada.company.value = company
      company.employees.add(bob)
      try require(company.isDirty, "the company is not dirty")
      try await store.save(ada)
      try require(company.isDirty, "the company is clean before all members are saved")
      try await store.save(bob)
      try require(!company.isDirty, "the company is still dirty")
      try await requireEmployees([ada, bob], of: company, afterRevertIn: store)
    },
    Check("a revert of a list that only its members store cuts unsaved links only") { store in
      let company = try await makeCompany("acme", in: store)
      let ada = ContractPerson.named("Ada"), bob = try await store.create(ContractPerson.named("Bob"))
      ada.company.value = company
      bob.company.value = company
      try await store.save(ada)
      company.revert()
      try require(ada.company.value === company && !ada.isDirty, "a saved link was cut")
      try require(bob.company.value == nil && !bob.isDirty, "an unsaved link was kept")
      try await requireEmployees([ada], of: company, afterRevertIn: store)
    },
    Check("a member that moved between lists leaves both clean once it is saved") { store in
      let (old, new) = (try await makeCompany("old", in: store), try await makeCompany("new", in: store))
      let between = try await makeCompany("between", in: store)
      let ada = ContractPerson.named("Ada")
      ada.company.value = old
      try await store.save(ada)
      ada.company.value = between
      ada.company.value = new
      try require(!between.isDirty, "the company in between is dirty")
      try require(old.isDirty && new.isDirty, "a company is not dirty")
      try await store.save(ada)
      try require(!old.isDirty && !new.isDirty, "a company is still dirty")
      old.revert()
      new.revert()
      try require(ada.company.value === new && !ada.isDirty, "the saved link was reverted")
      try await requireEmployees([ada], of: new, afterRevertIn: store)
      try await requireEmployees([], of: old, afterRevertIn: store)
    },
    Check("list(in:) reads a list that only the record of its owner has", needs: [.anyModels, .queries]) { store in
      let identifier = try await storeTicket(in: store)
      let ticket = ContractTicket.with(identifier: identifier, in: store.scope)
      let found = try await store.list(in: ticket.watchers)
      try requireEqual(found.map(\.id.value), ["acme", "other"], "the watchers")
      store.scope.remove(ticket)
      let again = ContractTicket.with(identifier: identifier, in: store.scope)
      try requireEqual(try await store.deleteAll(in: again.watchers), 2, "the number of deleted watchers")
      try requireEqual(try await store.count(ContractCompany.self), 0, "the number of companies")
      let missing = ContractTicket.with(identifier: "404", in: store.scope)
      try await requireError(.notFound, "list(in:) of a missing owner") {
        _ = try await store.list(in: missing.watchers)
      }
      withExtendedLifetime((ticket, again, missing)) {}
    },
    Check("a member that was removed from a list leaves it clean once it is saved", needs: [.queries]) { store in
      let company = try await makeCompany("acme", in: store)
      let ada = ContractPerson.named("Ada"), bob = ContractPerson.named("Bob")
      for person in [ada, bob] { person.company.value = company }
      try await store.createAll([ada, bob])
      try require(!company.isDirty, "the company is dirty after its members were created")
      try requireEqual(try await store.list(in: company.employees).count, 2, "the number of employees")
      company.employees.remove(ada)
      try require(company.isDirty, "the company is not dirty")
      try await store.save(ada)
      try require(!company.isDirty, "the company is still dirty")
      try requireEqual(company.employees.loadState, .loaded, "the load state")
      company.revert()
      try require(ada.company.value == nil && !ada.isDirty, "the saved removal was reverted")
      company.employees.value = [ada]
      try await store.save(ada)
      try await store.save(bob)
      try require(!company.isDirty && company.employees.value == [ada], "the list that was set is dirty")
    },
    Check("a deleted member leaves a list that only its members store clean") { store in
      let company = try await makeCompany("acme", in: store)
      let ada = ContractPerson.named("Ada"), bob = ContractPerson.named("Bob")
      for person in [ada, bob] {
        person.company.value = company
        try await store.save(person)
      }
      try await store.delete(ada)
      try require(!company.isDirty, "the company is dirty")
      try await requireEmployees([bob], of: company, afterRevertIn: store)
    },
    Check("a member that is refreshed or reverted leaves a list that only its members store clean") { store in
      let company = try await makeCompany("acme", in: store), other = try await makeCompany("other", in: store)
      let ada = try await store.create(ContractPerson.named("Ada"))
      ada.company.value = company
      try await store.refresh(ada)
      try require(ada.company.value == nil && !company.isDirty, "the company is dirty after a refresh")
      ada.company.value = company
      ada.revert()
      try require(ada.company.value == nil && !company.isDirty, "the company is dirty after a revert")
      ada.company.value = company
      try await store.save(company)
      ada.revert()
      try require(!company.isDirty && company.employees.value ?? [] == [], "a save of the company saved the link")
      ada.company.value = company
      try await store.save(ada)
      ada.company.value = other
      ada.company.value = company
      try await store.refresh(ada)
      try require(!company.isDirty && !other.isDirty, "a company is dirty after a refresh")
      try await requireEmployees([ada], of: company, afterRevertIn: store)
    },
    Check("a transaction leaves a list that only its members store as its records are", needs: [.transactions]) {
      store in
      struct Failure: Error {}
      let company = try await makeCompany("acme", in: store)
      let ada = try await store.create(ContractPerson.named("Ada"))
      do {
        try await transaction(in: store) { store in
          ada.company.value = company
          try await store.save(ada)
          throw Failure()
        }
      } catch is Failure {}
      try require(!company.isDirty && ada.company.value == nil, "the company is dirty after a failed transaction")
      try await transaction(in: store) { store in
        ada.company.value = company
        try await store.save(ada)
      }
      try require(!company.isDirty, "the company is dirty after the transaction")
      try await requireEmployees([ada], of: company, afterRevertIn: store)
    },
    Check("an undo of a saved link dirties a list that only its members store until it is saved") { store in
      let company = try await makeCompany("acme", in: store)
      let ada = try await store.create(ContractPerson.named("Ada"))
      let undo = ModelUndo(store.scope)
      ada.company.value = company
      try await store.save(ada)
      try await store.save(undo.undo())
      try require(ada.company.value == nil && !ada.isDirty, "the link was not undone")
      try require(!company.isDirty, "the company is dirty after the undo")
      try await store.save(undo.redo())
      try require(ada.company.value === company && !company.isDirty, "the company is dirty after the redo")
      try await requireEmployees([ada], of: company, afterRevertIn: store)
    },
  ]

  /// Stores a ticket with two watchers, which are not live afterwards, and returns its identifier.
  private static func storeTicket(in store: any ModelStore) async throws -> String {
    let ticket = ContractTicket()
    ticket.watchers.value = [try await makeCompany("acme", in: store), try await makeCompany("other", in: store)]
    return try await store.create(ticket).identifier ?? ""
  }

  private static func makeCompany(_ id: String, in store: some ModelStore) async throws -> ContractCompany {
    let company = ContractCompany()
    company.id.value = id
    return try await store.create(company)
  }

  /// Fails the check unless a revert of a company changes no link, and the store has the links.
  private static func requireEmployees(
    _ people: [ContractPerson], of company: ContractCompany, afterRevertIn store: some ModelStore
  ) async throws {
    company.revert()
    try require(!company.isDirty, "the company is dirty after a revert")
    for person in people {
      try require(person.company.value === company && !person.isDirty, "a revert of the company cut a saved link")
      person.name.value = "\(person.name.value ?? "") again"
      try await store.save(person)
      try await store.refresh(person)
      try require(person.company.value === company, "the stored link was lost")
    }
    try requireEqual(Set(company.employees.value ?? []), Set(people), "the employees")
  }
}

import StoreProtocol

extension ModelStoreContract {
  static let deleteRules: [Check] = [
    Check("delete applies the delete rules, and runs the hooks") { store in
      let (team, members) = try await teamWithMembers(in: store)
      let other = try await store.create(ContractMember())
      try await store.delete(team)
      try await requireError(.notFound, "lookup of a deleted model") {
        _ = try await store.lookup(ContractTeam.self, identifier: "reds")
      }
      try require(try await store.list(ContractMember.self) == [other], "the remaining model is not the other member")
      try require(members.allSatisfy(\.wasDeleted), "afterDelete did not run for a model deleted by cascade")
      try require(members.allSatisfy { $0.team.value == nil || $0.team.value === team }, "a member has another team")
      // Each can be created again.
      try await store.create(team)
    },
    Check("delete cascades to models that are not live", needs: [.queries]) { store in
      try await storeTeamWithMembers(in: store)
      try await store.delete(try await store.lookup(ContractTeam.self, identifier: "reds"))
      try requireEqual(try await store.list(ContractMember.self).count, 0, "the number of members")
    },
    Check("delete that a rule denies changes nothing") { store in
      let (team, members) = try await teamWithMembers(in: store)
      let debt = ContractDebt()
      debt.team.value = team
      try await store.create(debt)
      let error = try await requireError(.denied, "delete") { try await store.delete(team) }
      try requireEqual(error.identifier, "reds", "the identifier of the error")
      try requireEqual(Array(error.fields.keys), ["debts"], "the fields of the error")
      try require(error.cause is DeletionDeniedError, "the cause of the error is \(String(describing: error.cause))")
      try requireEqual(try await store.list(ContractTeam.self).count, 1, "the number of teams")
      try requireEqual(try await store.list(ContractMember.self).count, 2, "the number of members")
      try require(members.allSatisfy { $0.team.value === team && !$0.wasDeleted }, "a link was cut")
      try await store.delete(debt)
      try await store.delete(team)
      try requireEqual(try await store.list(ContractTeam.self).count, 0, "the number of teams")
    },
    Check("delete that a rule denies counts the stored models that deny it", needs: [.queries]) {
      store in
      // A store behind a server leaves it to the server to name the models that prevent the deletion.
      guard store is any TransactionalModelStore else { return }
      try await storeTeamWithDebts(in: store)
      let debt = try await store.lookup(ContractDebt.self, identifier: "2")
      let team = try await store.lookup(ContractTeam.self, identifier: "reds")
      let error = try await requireError(.denied, "delete") { try await store.delete(team) }
      try requireEqual((error.cause as? DeletionDeniedError)?.count, 4, "the number of debts in the error")
      withExtendedLifetime(debt) {}
    },
    Check("delete that fails removes no links") { store in
      let team = ContractTeam(), member = ContractMember()
      team.id.value = "reds"
      member.team.value = team
      try await requireError(.notFound, "delete of a model that was never created") { try await store.delete(team) }
      try require(member.team.value === team, "the link was cut")
    },
    Check("remaining models no longer reference a deleted one") { store in
      let company = ContractCompany(), person = ContractPerson.named("Ada")
      company.id.value = "acme"
      try await store.create(company)
      person.company.value = company
      try await store.create(person)
      try await store.delete(company)
      try require(person.company.value == nil, "the live model still references it")
      // The store may have cut the link itself, or left it to be saved.
      if person.isDirty { try await store.save(person) }
      try await store.refresh(person)
      try require(person.company.value == nil, "the stored model still references it")
      try requireEqual(person.name.value, "Ada", "the name")
    },
    Check("remaining stored models no longer reference a deleted one, even if they are not live", needs: [.queries]) {
      store in
      let identifiers = try await storeStaff(in: store)
      try await store.delete(try await store.lookup(ContractCompany.self, identifier: "acme"))
      for identifier in identifiers {
        let person = try await store.lookup(ContractPerson.self, identifier: identifier)
        try require(person.company.value == nil, "a stored model still references it")
        try require(!person.isDirty, "the model is dirty")
        try requireEqual(person.age.value, 36, "the age")
      }
      try requireEqual(
        try await store.count(ContractPerson.self, where: { $0.company == nil }), identifiers.count,
        "the number of those that reference none")
      try requireEqual(
        try await store.count(ContractPerson.self, where: { $0.company != nil }), 1,
        "the number of those that reference another one")
    },
    Check("a model that unread models reference can't be deleted if the rule denies it", needs: [.queries]) { store in
      try await storeDebt(in: store)
      let team = try await store.lookup(ContractTeam.self, identifier: "reds")
      try await requireError(.denied, "delete") { try await store.delete(team) }
      try requireEqual(try await store.list(ContractTeam.self), [team], "what is left")
    },
    Check(
      "a deletion inside a transaction leaves nothing dirty, and its links are cut at the end", needs: [.transactions]
    ) { store in
      let company = ContractCompany()
      company.id.value = "acme"
      try await store.create(company)
      let live = ContractPerson.named("Ada")
      live.company.value = company
      try await store.create(live)
      try await transaction(in: store) { store in
        try await store.delete(company)
        try requireEqual(
          try await store.count(ContractPerson.self, where: { $0.company == nil }), 1, "the number inside")
      }
      try require(live.company.value == nil && !live.isDirty, "the live model still references it, or is dirty")
      try await store.refresh(live)
      try require(live.company.value == nil, "the stored model still references it")
    },
    Check(
      "a deletion cuts the stored reference of a model that an unsaved change moves away",
      needs: [.queries, .transactions]
    ) { store in
      let teams = [ContractTeam(), ContractTeam()]
      (teams[0].id.value, teams[1].id.value) = ("reds", "blues")
      try await store.createAll(teams)
      let member = ContractMember(), debt = ContractDebt()
      (member.team.value, debt.team.value) = (teams[0], teams[0])
      try await store.create(member)
      try await store.create(debt)
      (member.team.value, debt.team.value) = (teams[1], teams[1])
      try await store.delete(teams[0])
      let types: [any Model.Type] = [ContractMember.self, ContractDebt.self]
      try requireEqual(try await store.brokenLinks(of: types).count, 0, "the number of broken links")
      try require(member.team.value === teams[1] && member.team.isDirty, "the unsaved change is gone")
      try await store.save(member)
      try await store.save(debt)
      for model in [member, debt] as [any Model] { store.scope.remove(model) }
      try requireEqual(
        try await store.count(ContractMember.self, where: { $0.team == teams[1] }), 1, "the number of moved members")
      try requireEqual(
        try await store.count(ContractDebt.self, where: { $0.team == teams[1] }), 1, "the number of moved debts")
    },
    Check("a deletion inside a transaction that throws leaves stored links", needs: [.transactions]) { store in
      struct Refusal: Error {}
      let identifiers = try await storeStaff(in: store)
      let company = try await store.lookup(ContractCompany.self, identifier: "acme")
      do {
        try await transaction(in: store) { store in
          try await store.delete(company)
          throw Refusal()
        }
      } catch is Refusal {}
      for identifier in identifiers {
        let person = try await store.lookup(ContractPerson.self, identifier: identifier)
        try require(person.company.value === company, "the link was cut")
      }
    },
    Check("a deletion inside a transaction that throws changes nothing", needs: [.transactions]) { store in
      struct Refusal: Error {}
      let (team, members) = try await teamWithMembers(in: store)
      do {
        try await transaction(in: store) { store in
          try await store.delete(team)
          try requireEqual(try await store.list(ContractMember.self).count, 0, "the number of members inside")
          throw Refusal()
        }
      } catch is Refusal {}
      try requireEqual(try await store.list(ContractMember.self).count, 2, "the number of members")
      try require(members.allSatisfy { $0.team.value === team && !$0.wasDeleted }, "a link was cut")
      try await store.delete(team)
      try requireEqual(try await store.list(ContractMember.self).count, 0, "the number of members at the end")
    },
  ]

  private static func teamWithMembers(
    in store: any ModelStore
  ) async throws -> (team: ContractTeam, members: [ContractMember]) {
    let team = ContractTeam(), members = [ContractMember(), ContractMember()]
    team.id.value = "reds"
    try await store.create(team)
    for member in members {
      member.team.value = team
      try await store.create(member)
    }
    return (team, members)
  }

  /// Stores two people of a company, and one of another, and removes them from memory.
  private static func storeStaff(in store: any ModelStore) async throws -> [String] {
    var identifiers: [String] = []
    for name in ["acme", "other"] {
      let company = ContractCompany()
      company.id.value = name
      try await store.create(company)
      for number in 0..<(name == "acme" ? 2 : 1) {
        let person = ContractPerson.named("\(name) \(number)", age: 36)
        person.company.value = company
        try await store.create(person)
        if name == "acme" { identifiers.append(person.identifier ?? "?") }
      }
    }
    return identifiers
  }

  private static func storeDebt(in store: any ModelStore) async throws {
    let team = ContractTeam(), debt = ContractDebt()
    team.id.value = "reds"
    try await store.create(team)
    debt.team.value = team
    try await store.create(debt)
  }

  private static func storeTeamWithMembers(in store: any ModelStore) async throws {
    _ = try await teamWithMembers(in: store)
  }

  private static func storeTeamWithDebts(in store: some ModelStore) async throws {
    let team = ContractTeam()
    team.id.value = "reds"
    try await store.create(team)
    for number in 1...4 {
      let debt = ContractDebt()
      debt.id.value = number
      debt.team.value = team
      try await store.create(debt)
    }
  }
}

import StoreProtocol

// Deletions of models whose records were not read by the store, and of models that reference such ones.
extension ModelStoreContract {
  static let deletingUnloaded: [Check] = [
    Check("a deletion of an unloaded reference cascades to models that are not live", needs: [.queries]) { store in
      try await storeTeam(withDebt: false, in: store)
      guard let team = try await store.first(ContractMember.self)?.team.value else {
        throw ContractViolation("a member has no team")
      }
      try await store.delete(team)
      try requireEqual(try await store.count(ContractMember.self), 0, "the number of members")
      try requireEqual(try await store.count(ContractTeam.self), 0, "the number of teams")
    },
    Check("a rule denies the deletion of an unloaded reference", needs: [.queries]) { store in
      try await storeTeam(withDebt: true, in: store)
      let team = ContractTeam.with(identifier: "reds", in: store.scope)
      try await requireError(.denied, "delete") { try await store.delete(team) }
      try requireEqual(try await store.count(ContractTeam.self), 1, "the number of teams")
      try requireEqual(try await store.count(ContractMember.self), 2, "the number of members")
    },
    Check("links to a deleted model are cut if its side was unloaded", needs: [.transactions, .queries]) { store in
      let (club, stored, edited) = (Club(), Player(), Player())
      (club.id.value, stored.id.value, edited.id.value) = ("reds", 1, 2)
      try await store.create(club)
      for player in [stored, edited] { try await store.create(player) }
      stored.clubs.value = [club]
      try await store.save(stored)
      edited.clubs.value = [club]
      club.unload()
      try await store.delete(club)
      try requireEqual([stored, edited].map(\.clubs.value), [[], []], "the clubs")
      try require(!stored.isDirty, "the player of the record is dirty")
      let other = Club()
      other.id.value = "blues"
      try await store.create(other)
      for player in [stored, edited] {
        player.clubs.add(other)
        try await store.save(player)
      }
      try requireEqual(try await store.list(in: other.players).count, 2, "the players of the other club")
    },
    Check("the rules follow unsaved links to a model whose side was unloaded", needs: [.queries]) { store in
      for isNew in [false, true] {
        let team = ContractTeam(), debt = ContractDebt(), member = ContractMember()
        team.id.value = isNew ? "blues" : "reds"
        try await store.create(team)
        if !isNew {
          try await store.create(debt)
          try await store.create(member)
        }
        debt.team.value = team
        member.team.value = team
        team.unload()
        let error = try await requireError(.denied, "delete") { try await store.delete(team) }
        try requireEqual(
          (error.cause as? DeletionDeniedError)?.members.count, 1, "the number of models that deny the deletion")
        try require(debt.team.value === team && debt.isDirty, "the debt lost its link")
        debt.team.value = nil
        try await store.delete(team)
        try require(member.wasDeleted == !isNew, "the member was not deleted, or was one without a record")
        try require(debt.team.value == nil, "the debt references the deleted team")
      }
      try requireEqual(try await store.count(ContractMember.self), 0, "the number of members")
      try requireEqual(try await store.count(ContractDebt.self), 1, "the number of debts")
    },
    Check("a deletion of an unloaded reference without a record throws notFound", needs: [.queries]) { store in
      let team = ContractTeam.with(identifier: "nobody", in: store.scope)
      let error = try await requireError(.notFound, "delete") { try await store.delete(team) }
      try requireEqual(error.identifier, "nobody", "the identifier of the error")
    },
    Check(
      "a deletion cascades to unloaded references, and follows the rules of their models",
      needs: [.anyModels, .queries]
    ) { store in
      for isOwnerLoaded in [true, false] {
        let identifier = try await storeAccount(in: store)
        let account =
          isOwnerLoaded
          ? try await store.lookup(ContractAccount.self, identifier: identifier)
          : ContractAccount.with(identifier: identifier, in: store.scope)
        try await store.delete(account)
        try requireEqual(try await store.count(ContractAccount.self), 0, "the number of accounts")
        try requireEqual(try await store.count(ContractProfile.self), 0, "the number of profiles")
        try requireEqual(
          try await store.list(ContractPortrait.self).map(\.profile.value), [nil], "the profiles of other portraits")
        try await store.deleteAll(ContractPortrait.self)
      }
    },
    Check("a deletion follows the rules of a model that was read from a document", needs: [.anyModels, .queries]) {
      store in
      for isInScope in [true, false] {
        let identifier = try await storePilot(in: store)
        let live = isInScope ? nil : try await store.lookup(ContractPilot.self, identifier: identifier)
        let pilot = try ContractPilot.from(
          dictionaryValue: ["id": .int(Int(identifier) ?? 0), "name": "Amelia"], in: isInScope ? store.scope : nil)
        try await store.delete(pilot)
        try requireEqual(try await store.count(ContractPlane.self), 0, "the number of planes")
        try requireEqual(try await store.count(ContractPilot.self), 0, "the number of pilots")
        try require(!pilot.isPersisted && live?.isPersisted != true, "a deleted model is persisted")
      }
    },
    Check(
      "a model that was read from a document is clean after a model that it references is deleted",
      needs: [.transactions, .queries]
    ) { store in
      let identifier = try await storePerson(in: store)
      let company = try await store.lookup(ContractCompany.self, identifier: "acme")
      let person = try ContractPerson.from(
        dictionaryValue: ["id": .int(Int(identifier) ?? 0), "name": "Ada", "company": "acme"], in: store.scope)
      try require(person.company.value === company, "the person is not linked")
      try await store.delete(company)
      try require(person.company.value == nil, "the person references the deleted company")
      try require(!person.isDirty, "the person is dirty")
      person.name.value = "Eve"
      try await store.save(person)
      try requireEqual(try await store.list(ContractPerson.self).map(\.name.value), ["Eve"], "the stored names")
    },
  ]

  /// Stores a team with two members, which are not live afterwards.
  private static func storeTeam(withDebt hasDebt: Bool, in store: any ModelStore) async throws {
    let team = ContractTeam()
    team.id.value = "reds"
    try await store.create(team)
    for _ in 0..<2 {
      let member = ContractMember()
      member.team.value = team
      try await store.create(member)
    }
    if hasDebt {
      let debt = ContractDebt()
      debt.team.value = team
      try await store.create(debt)
    }
  }

  /// Stores an account with a profile that has a portrait, and a draft, and another portrait.
  ///
  /// - Returns: the identifier of the account. The models are not live.
  private static func storeAccount(in store: any ModelStore) async throws -> String {
    let account = ContractAccount(), profile = try await store.create(ContractProfile())
    let portrait = ContractPortrait()
    portrait.profile.value = profile
    try await store.create(portrait)
    let draft = try await store.create(ContractPortrait())
    try await store.create(ContractPortrait())
    account.profile.value = profile
    account.drafts.value = [draft]
    try await store.create(account)
    return account.identifier ?? ""
  }

  /// Stores a pilot with a plane, which are not live afterwards, and returns the pilot's identifier.
  private static func storePilot(in store: any ModelStore) async throws -> String {
    let pilot = try await store.create(ContractPilot.named("Amelia")), plane = ContractPlane()
    plane.pilot.value = pilot
    try await store.create(plane)
    return pilot.identifier ?? ""
  }

  /// Stores a person of a company, which are not live afterwards, and returns the person's identifier.
  private static func storePerson(in store: any ModelStore) async throws -> String {
    let company = ContractCompany(), person = ContractPerson.named("Ada")
    company.id.value = "acme"
    try await store.create(company)
    person.company.value = company
    return try await store.create(person).identifier ?? ""
  }
}

import FileStore
import Foundation
import Testing

@testable import StoreProtocolTesting

@Suite struct `A deletion in a file store` {
  /// Runs a test with a store instance that has read nothing yet.
  private func withClubs(_ body: (FileModelStore) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let first = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      try await Clubs.fill(first)
      try await body(FileModelStore(first.handle))
      try await first.close()
    }
  }

  @Test func `A deletion in a file store cuts links in lists and in several fields of records that were never read`()
    async throws
  {
    try await withClubs { store in
      try await store.delete(try await store.lookup(Club.self, identifier: "reds"))
      let other = FileModelStore(store.handle)
      #expect(
        try await other.list(Player.self).map { $0.clubs.value?.compactMap(\.id.value) } == [[], ["blues"], ["blues"]])
      let matches = try await other.list(Match.self)
      #expect(matches.map(\.home.value?.id.value) == ["blues", nil])
      #expect(matches.map(\.guest.value?.id.value) == [nil, "greens"])
      #expect(matches.map(\.goals.value) == [5, 1])
      #expect(try await other.count(ClubBadge.self, where: { $0.club == nil }) == 1)
    }
  }

  @Test func `A deletion in a file store cuts no links to an identifier that only Swift calls equal`() async throws {
    try await withClubs { store in
      let clubs = ["caf\u{e9}", "cafe\u{301}"].map { name in
        let club = Club()
        club.id.value = name
        return club
      }
      try await store.createAll(clubs)
      let player = Player()
      player.clubs.value = clubs
      try await store.create(player)
      let other = FileModelStore(store.handle)
      try await other.delete(try await other.lookup(Club.self, identifier: "caf\u{e9}"))
      let left = try await FileModelStore(store.handle).lookup(Player.self, identifier: player.identifier ?? "")
      #expect(left.clubs.value?.map { $0.id.value.map { Array($0.utf8) } } == [Array("cafe\u{301}".utf8)])
    }
  }

  @Test func `A deletion in a file store of both ends of a record in one transaction cuts both`() async throws {
    try await withClubs { store in
      try await store.transaction { store in
        try await store.delete(try await store.lookup(Club.self, identifier: "reds"))
        try await store.delete(try await store.lookup(Club.self, identifier: "blues"))
      }
      let matches = try await FileModelStore(store.handle).list(Match.self)
      #expect(matches.map(\.home.value?.id.value) == [nil, nil])
      #expect(matches.map(\.guest.value?.id.value) == [nil, "greens"])
    }
  }

  @Test func `A deletion cuts links of live models, which are dirty only for their own changes`() async throws {
    try await withClubs { store in
      let match = try await store.lookup(Match.self, identifier: "1")
      match.goals.value = 9
      try await store.delete(try await store.lookup(Club.self, identifier: "reds"))
      #expect(match.guest.value == nil)
      #expect(!match.guest.isDirty)
      #expect(match.goals.isDirty)
      try await store.update(match)
      #expect(try await FileModelStore(store.handle).lookup(Match.self, identifier: "1").goals.value == 9)
    }
  }

  @Test func `A deletion in a file store of a model that was already deleted changes nothing`() async throws {
    try await withClubs { store in
      let other = FileModelStore(store.handle)
      let reds = try await store.lookup(Club.self, identifier: "reds")
      try await other.delete(try await other.lookup(Club.self, identifier: "reds"))
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.delete(reds) }
      #expect(error?.code == .notFound)
    }
  }

  @Test func `A deletion in a file store finds referencing records among many with an index that it creates`()
    async throws
  {
    try await withClubs { store in
      let greens = try await store.lookup(Club.self, identifier: "greens")
      let matches = (0..<1_500).map { (number: Int) in
        let match = Match()
        match.goals.value = number
        match.home.value = number == 700 ? greens : nil
        return match
      }
      try await store.createAll(matches)
      try await store.delete(greens)
      let report = try await store.explain(ModelQuery(Match.self, where: { $0.home.id == "blues" }))
      #expect(report.plan.usedIndexes == ["home"])
      #expect(report.readCount == 1)
      #expect(matches[700].home.value == nil)
      #expect(try await store.count(ModelQuery(Match.self, where: { $0.home == nil })) == 1_500)
    }
  }

  /// Clubs with a match at home each.
  private func pairs(_ count: Int) -> (clubs: [Club], matches: [Match]) {
    let clubs = (0..<count).map { (number: Int) in
      let club = Club()
      club.id.value = "club \(number)"
      return club
    }
    let matches = clubs.map { club in
      let match = Match()
      match.home.value = club
      return match
    }
    return (clubs, matches)
  }

  @Test(arguments: [300, 1_200], [false, true])
  func `Deletions of many models in one transaction read a number of records that grows with theirs`(
    count: Int, areNew: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let (clubs, matches) = pairs(count)
      if !areNew {
        try await store.createAll(clubs)
        try await store.createAll(matches)
      }
      let lookedAt = try await store.transaction { store in
        if areNew {
          try await store.createAll(clubs)
          try await store.createAll(matches)
        }
        var lookedAt = 0
        for club in clubs {
          // The query of the deletion.
          lookedAt += try await store.explain(ModelQuery(Match.self, where: { $0.home == club })).readCount
          try await store.delete(club)
        }
        return lookedAt
      }
      // Until the store makes an index by itself it may be all of them, but not often.
      #expect(lookedAt < 6 * count)
      let instance = FileModelStore(store.handle)
      #expect(try await instance.count(ModelQuery(Club.self)) == 0)
      #expect(try await instance.count(ModelQuery(Match.self, where: { $0.home == nil })) == count)
      #expect(matches.allSatisfy { $0.home.value == nil && !$0.isDirty })
      try await store.close()
    }
  }

  @Test func `A deletion in a file store by cascade finds the models to delete with an index that it creates`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let teams = (0..<600).map { (number: Int) in
        let team = ContractTeam()
        team.id.value = "team \(number)"
        return team
      }
      try await store.createAll(teams)
      try await store.createAll(
        teams.map { team -> ContractMember in
          let member = ContractMember()
          member.team.value = team
          return member
        })
      let instance = FileModelStore(store.handle)
      try await instance.deleteAll(ContractTeam.self, where: { $0.id < "team 3" })
      let report = try await instance.explain(ModelQuery(ContractMember.self, where: { $0.team.id == "team 30" }))
      #expect(report.plan.usedIndexes == ["team"])
      #expect(report.readCount == 1)
      let teamCount = try await instance.count(ModelQuery(ContractTeam.self))
      #expect(try await instance.count(ModelQuery(ContractMember.self)) == teamCount)
      try await store.close()
    }
  }

  @Test func `A deletion in a file store applies its rules to records that other store instances wrote`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      let team = ContractTeam()
      team.id.value = "reds"
      try await store.create(team)
      let other = FileModelStore(store.handle)
      let member = ContractMember()
      member.team.value = try await other.lookup(ContractTeam.self, identifier: "reds")
      try await other.create(member)
      let debt = ContractDebt()
      debt.team.value = member.team.value
      try await other.create(debt)
      let error = await #expect(throws: ModelStoreError.self) { _ = try await store.delete(team) }
      #expect(error?.code == .denied)
      try await other.delete(debt)
      let third = FileModelStore(store.handle)
      try await third.delete(try await third.lookup(ContractTeam.self, identifier: "reds"))
      #expect(try await third.list(ContractMember.self) == [])
      try await store.close()
    }
  }
}

@Suite struct `A condition on a file store about a relation that only its inverse stores` {
  @Test func `A file store tests a condition about the inverse of a relation on the models that refer to it`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let first = FileModelStore(directory: directory, options: FileStoreOptions(durability: .none))
      try await Clubs.fill(first)
      let store = FileModelStore(first.handle)
      func clubs(_ filter: @escaping (ModelColumns<Club>) -> QueryExpression) async throws -> [String?] {
        let query = ModelQuery(Club.self, where: filter)
        let found = try await store.list(query).map(\.id.value)
        #expect(try await store.count(query) == found.count)
        return found
      }
      #expect(try await clubs { $0.players.contains { $0.age > 35 } } == ["reds", "blues"])
      #expect(try await clubs { $0.players.isEmpty } == ["greens"])
      #expect(
        try await clubs { $0.players.count < 1 || $0.homeMatches.contains { $0.goals == 5 } } == ["blues", "greens"])
      #expect(try await clubs { !$0.homeMatches.contains { $0.goals == 5 } } == ["reds", "greens"])
      #expect(
        try await clubs { $0.homeMatches.contains { $0.guest.players.contains { $0.age == 20 } } } == ["blues"])
      #expect(try await clubs { $0.badge.motto == nil } == ["blues", "greens"])
      try await store.index(\Player.age)
      #expect(try await clubs { $0.players.contains { $0.age > 35 } } == ["reds", "blues"])
      try await store.transaction { store in
        let player = Player()
        player.age.value = 70
        player.clubs.value = [try await store.lookup(Club.self, identifier: "greens")]
        try await store.create(player)
        #expect(try await clubs { $0.players.contains { $0.age > 60 } } == ["greens"])
      }
      try await first.close()
    }
  }
}

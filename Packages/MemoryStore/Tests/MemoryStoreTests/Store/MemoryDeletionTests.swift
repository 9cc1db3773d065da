import MemoryStore
import Testing

@testable import StoreProtocolTesting

@Suite struct `A deletion in a memory store` {
  private let store: MemoryModelStore

  init() async throws {
    let first = MemoryModelStore()
    try await Clubs.fill(first)
    store = MemoryModelStore(first.handle)
  }

  private func club(_ name: String, in instance: MemoryModelStore? = nil) throws -> Club {
    try (instance ?? store).lookupImmediately(Club.self, identifier: name)
  }

  @Test func `A deletion in a memory store cuts links in lists and in several fields of records that are not live`()
    async throws
  {
    try await store.delete(try club("reds"))
    let other = MemoryModelStore(store.handle)
    #expect(
      try other.listImmediately(Player.self).map { $0.clubs.value?.compactMap(\.id.value) } == [
        [], ["blues"], ["blues"],
      ])
    #expect(try other.listImmediately(Match.self).map(\.home.value?.id.value) == ["blues", nil])
    #expect(try other.listImmediately(Match.self).map(\.guest.value?.id.value) == [nil, "greens"])
    #expect(try other.listImmediately(Match.self).map(\.goals.value) == [5, 1])
    #expect(try other.listImmediately(ClubBadge.self, where: { $0.club == nil }).count == 1)
  }

  @Test func `A deletion in a memory store cuts no links to an identifier that only Swift calls equal`() async throws {
    let clubs = ["caf\u{e9}", "cafe\u{301}"].map { name in
      let club = Club()
      club.id.value = name
      return club
    }
    try await store.createAll(clubs)
    let player = Player()
    player.clubs.value = clubs
    try await store.create(player)
    let other = MemoryModelStore(store.handle)
    try await other.delete(try club("caf\u{e9}", in: other))
    let left = try MemoryModelStore(store.handle).lookupImmediately(Player.self, identifier: player.identifier ?? "")
    #expect(left.clubs.value?.map { $0.id.value.map { Array($0.utf8) } } == [Array("cafe\u{301}".utf8)])
  }

  @Test func `A deletion in a memory store of both ends of a record cuts both`() async throws {
    try await store.transaction { store in
      try await store.delete(try club("reds"))
      try await store.delete(try club("blues"))
    }
    let matches = try MemoryModelStore(store.handle).listImmediately(Match.self)
    #expect(matches.map(\.home.value?.id.value) == [nil, nil])
    #expect(matches.map(\.guest.value?.id.value) == [nil, "greens"])
    #expect(try store.listImmediately(Player.self).allSatisfy { $0.clubs.value?.isEmpty == true })
  }

  @Test func `A deletion cuts links of live models, which are dirty only for their own changes`() async throws {
    let match = try store.lookupImmediately(Match.self, identifier: "1")
    let player = try store.lookupImmediately(Player.self, identifier: "1")
    match.goals.value = 9
    try await store.delete(try club("reds"))
    #expect(match.guest.value == nil)
    #expect(!match.guest.isDirty)
    #expect(match.goals.isDirty)
    #expect(match.home.value?.id.value == "blues")
    #expect(player.clubs.value == [])
    #expect(!player.isDirty)
    try await store.update(match)
    #expect(try MemoryModelStore(store.handle).lookupImmediately(Match.self, identifier: "1").goals.value == 9)
  }

  @Test func `A deletion in a memory store that fails leaves records as they are`() async throws {
    let other = MemoryModelStore(store.handle)
    let reds = try club("reds"), same = try club("reds", in: other)
    try await other.delete(same)
    let before = try store.snapshot()
    await #expect(throws: ModelStoreError.self) { _ = try await store.delete(reds) }
    #expect(try store.snapshot() == before)
  }

  @Test func `A deletion in a memory store finds referencing records among many with an index that it creates`()
    async throws
  {
    let greens = try club("greens")
    let matches = (0..<1_500).map { (number: Int) in
      let match = Match()
      match.goals.value = number
      match.home.value = number == 700 ? greens : nil
      return match
    }
    try await store.createAll(matches)
    let query = ModelQuery(Match.self, where: { $0.home == greens })
    #expect(try await store.explain(query).plan.isFullScan)
    try await store.delete(greens)
    let report = try await store.explain(ModelQuery(Match.self, where: { $0.home.id == "blues" }))
    #expect(report.plan.usedIndexes == ["home"])
    #expect(report.readCount == 1)
    #expect(matches[700].home.value == nil)
    #expect(try store.countImmediately(ModelQuery(Match.self, where: { $0.home == nil })) == 1_500)
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
    let store = MemoryModelStore()
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
    let instance = MemoryModelStore(store.handle)
    #expect(try instance.countImmediately(ModelQuery(Club.self)) == 0)
    #expect(try instance.countImmediately(ModelQuery(Match.self, where: { $0.home == nil })) == count)
    #expect(matches.allSatisfy { $0.home.value == nil && !$0.isDirty })
  }

  @Test func `A deletion in a memory store by cascade finds the models to delete with an index that it creates`()
    async throws
  {
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
    let instance = MemoryModelStore(store.handle)
    try await instance.deleteAll(ContractTeam.self, where: { $0.id < "team 3" })
    let report = try await instance.explain(ModelQuery(ContractMember.self, where: { $0.team.id == "team 30" }))
    #expect(report.plan.usedIndexes == ["team"])
    #expect(report.readCount == 1)
    let teamCount = try instance.countImmediately(ModelQuery(ContractTeam.self))
    #expect(try instance.countImmediately(ModelQuery(ContractMember.self)) == teamCount)
  }

  @Test func `A deletion in a transaction of a memory store distinguishes written records by the bytes of identifiers`()
    async throws
  {
    try store.index(\Match.home)
    let clubs = ["caf\u{e9}", "cafe\u{301}"].map { name in
      let club = Club()
      club.id.value = name
      return club
    }
    let matches = clubs.map { club in
      let match = Match()
      match.home.value = club
      return match
    }
    try await store.transaction { store in
      try await store.createAll(clubs)
      try await store.createAll(matches)
      try await store.delete(clubs[0])
    }
    let left = try MemoryModelStore(store.handle).listImmediately(Match.self).suffix(2)
    #expect(left.map { $0.home.value?.id.value.map { Array($0.utf8) } } == [nil, Array("cafe\u{301}".utf8)])
  }

  @Test func `A deletion in a memory store that is rolled back leaves referencing records unchanged`()
    async throws
  {
    struct Refusal: Error {}
    let (clubs, matches) = pairs(20)
    try await store.createAll(clubs)
    try await store.createAll(matches)
    try store.index(\Match.home)
    let before = try store.snapshot()
    await #expect(throws: Refusal.self) {
      try await store.transaction { store in
        for club in clubs {
          try await store.delete(club)
          #expect(try store.countImmediately(ModelQuery(Match.self, where: { $0.home.id == club.identifier })) == 0)
        }
        throw Refusal()
      }
    }
    #expect(try store.snapshot() == before)
    #expect(zip(clubs, matches).allSatisfy { $0 === $1.home.value })
  }

  @Test func `Cascades and denials of a memory store include the writes of other store instances`()
    async throws
  {
    let team = ContractTeam()
    team.id.value = "reds"
    try await store.create(team)
    team.members.value = []
    let other = MemoryModelStore(store.handle)
    let member = ContractMember()
    member.team.value = try other.lookupImmediately(ContractTeam.self, identifier: "reds")
    try await other.create(member)
    let debt = ContractDebt()
    debt.team.value = member.team.value
    try await other.create(debt)
    let error = await #expect(throws: ModelStoreError.self) { _ = try await store.delete(team) }
    #expect(error?.code == .denied)
    try await other.delete(debt)
    let again = try MemoryModelStore(store.handle).lookupImmediately(ContractTeam.self, identifier: "reds")
    _ = again
    let third = MemoryModelStore(store.handle)
    try await third.delete(try third.lookupImmediately(ContractTeam.self, identifier: "reds"))
    #expect(try third.listImmediately(ContractMember.self) == [])
  }
}

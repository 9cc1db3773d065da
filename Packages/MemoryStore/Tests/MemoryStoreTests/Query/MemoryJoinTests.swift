import MemoryStore
import Testing

@testable import StoreProtocolTesting

@Suite struct `A condition about a relation that only its inverse stores` {
  private let store: MemoryModelStore

  init() async throws {
    // The models are not retained.
    let first = MemoryModelStore()
    try await Clubs.fill(first)
    store = MemoryModelStore(first.handle)
  }

  private func clubs(_ filter: @escaping (ModelColumns<Club>) -> QueryExpression) throws -> [String?] {
    let found = try store.listImmediately(Club.self, where: filter)
    #expect(try store.countImmediately(ModelQuery(Club.self, where: filter)) == found.count)
    let query = ModelQuery(Club.self, where: filter)
    #expect(try ModelQuery<Club>(json: query.json) == query)
    return found.map(\.id.value)
  }

  @Test func `A file store tests a condition about the inverse of a relation on the models that refer to it`() throws {
    #expect(try clubs { $0.players.contains { $0.age > 35 } } == ["reds", "blues"])
    #expect(try clubs { $0.players.contains { $0.age < 25 } } == ["reds"])
    #expect(try clubs { $0.players.isEmpty } == ["greens"])
    #expect(try clubs { $0.players.count == 2 } == ["reds", "blues"])
    #expect(try clubs { $0.players.count < 1 || $0.homeMatches.contains { $0.goals == 5 } } == ["blues", "greens"])
    #expect(try clubs { !$0.homeMatches.contains { $0.goals == 5 } } == ["reds", "greens"])
    #expect(try clubs { $0.guestMatches.contains { $0.goals < 3 } && $0.id != "reds" } == ["greens"])
  }

  @Test func `A condition about a relation that only its inverse stores can continue from there`() throws {
    #expect(
      try clubs { $0.homeMatches.contains { $0.guest.players.contains { $0.age == 20 } } } == ["blues"])
    let players = try store.listImmediately(Player.self, where: { $0.clubs.contains { $0.homeMatches.count > 0 } })
    #expect(players.map(\.age.value) == [20, 40, 30])
    let against = try store.listImmediately(Match.self, where: { $0.guest.players.isEmpty })
    #expect(against.map(\.goals.value) == [1])
  }

  @Test func `A condition about a to-one relation that only its inverse stores is nil without a reference`()
    throws
  {
    #expect(try clubs { $0.badge == nil } == ["greens"])
    #expect(try clubs { $0.badge != nil } == ["reds", "blues"])
    #expect(try clubs { $0.badge.motto == "ever red" } == ["reds"])
    #expect(try clubs { $0.badge.motto == nil } == ["blues", "greens"])
    #expect(try clubs { $0.badge.motto != "ever red" } == ["blues", "greens"])
    #expect(try clubs { $0.badge.motto.hasPrefix("ever") } == ["reds"])
  }

  @Test func `A condition about a relation that only its inverse stores uses indexes of the referencing models`()
    throws
  {
    try store.index(\Player.age)
    #expect(try clubs { $0.players.contains { $0.age > 35 } } == ["reds", "blues"])
  }

  @Test func `A condition about a relation that only its inverse stores includes the writes of a transaction`()
    async throws
  {
    try await store.transaction { store in
      let player = Player()
      player.age.value = 70
      player.clubs.value = [try store.lookupImmediately(Club.self, identifier: "greens")]
      try await store.create(player)
      #expect(try clubs { $0.players.contains { $0.age > 60 } } == ["greens"])
    }
  }

  @Test func `A condition without sense about a relation that only its inverse stores is refused`() {
    var query = ModelQuery(Club.self)
    query.filter = .any(["players"], .comparison(QueryComparison(QueryTerm(["shoes"]), .equal, .value(1))))
    let error = #expect(throws: ModelStoreError.self) { try store.listImmediately(query) }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains("shoes") == true)
  }
}

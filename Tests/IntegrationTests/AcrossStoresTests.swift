import Foundation
import ModelKit
import StoreProtocolTesting
import Testing

private final class Team: Model {
  let id = Field<Int>()
  let name = Field<String>().require(.notBlank)
  let players = ModelField<Player>(foreignKey: true)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, name] }
}

private final class Player: Model {
  let id = Field<Int>()
  let name = Field<String>().require(.notBlank)
  let joined = Field<Date>()
  let team = ModelField<Team>(key: "team_id", foreignKey: true, inverse: \.players)
  override var identifierField: AnyField? { id }
}

private final class Shelf: Model {
  let id = Field<Int>()
  let volumes = ModelField<Volume>()*
  override var identifierField: AnyField? { id }
}

private final class Volume: Model {
  let title = Field<String>()
  let subtitle = Field<String>()
  let marks = Field<String>()*
  let shelf = ModelField<Shelf>(inverse: \.volumes)
}

@Suite struct `Models across stores` {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "AcrossStores-\(UUID().uuidString)")

  @Test func `Models across stores are the same values and relations after a move from memory to files and back`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let memory = MemoryModelStore()
    let team = Team()
    team.name.value = "Analysts"
    let player = Player()
    player.name.value = "Ada"
    player.joined.value = Date(timeIntervalSinceReferenceDate: 1_234_567.123_456_7)
    try await memory.create(team)
    player.team.value = team
    try await memory.create(player)

    let files = FileModelStore(directory: directory)
    for team in try await memory.list(Team.self) { try await files.create(try copy(of: team)) }
    for player in try await memory.list(Player.self) { try await files.create(try copy(of: player)) }
    try await files.close()

    let reopened = FileModelStore(directory: directory)
    let restored = try #require(try await reopened.list(Player.self).first)
    let restoredTeam = try await reopened.lookup(Team.self, identifier: "1")
    #expect(restored !== player)
    #expect(restored.joined.value == player.joined.value)
    #expect(restored.team.value === restoredTeam)
    #expect(restoredTeam.players.value == [restored])
    #expect(restoredTeam.name == "Analysts")
    try await reopened.close()
  }

  @Test func `Models across stores keep models that are embedded, with their links, through every store`() async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let files = FileModelStore(directory: directory)
    for store in [MemoryModelStore(), files] as [any ModelStore] {
      do {
        let shelf = Shelf(), book = Volume()
        book.title.value = "Emma"
        shelf.volumes.add(book)
        try await store.create(shelf)
      }
      let shelf = try #require(try await store.list(Shelf.self).first)
      #expect(shelf.volumes.value?.map(\.title.value) == ["Emma"])
      #expect(shelf.volumes.value?.first?.shelf.value === shelf)
      #expect(shelf.volumes.value?.first?.subtitle.loadState == .notLoaded)
      #expect(shelf.volumes.value?.first?.marks.loadState == .notLoaded)
    }
    try await files.close()
  }

  private func copy<M: Model>(of model: M) throws -> M { try M.from(dictionaryValue: model.dictionaryValue) }
}

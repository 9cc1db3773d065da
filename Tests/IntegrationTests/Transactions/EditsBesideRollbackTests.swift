import ModelKit
import Testing

private final class Song: Model {
  @Field var id: Int?
  @Required var title = "Song"
  @Field var seconds: Int?
  @ModelArrayField var setLists: [SetList]?
  override var identifierField: AnyField? { $id }
}

private final class SetList: Model {
  @Field var id: Int?
  @Required var title = "Set"
  @ModelArrayField(foreignKey: true, inverse: \.$setLists) var songs: [Song]?
  override var identifierField: AnyField? { $id }
}

private struct Address: Codable {
  var city = ""
}

private final class Guest: Model {
  @Field var id: Int?
  @Required var name = "Guest"
  @Field var address: Address?
  override var identifierField: AnyField? { $id }
}

@MainActor @Suite struct `Edits beside a transaction that fails` {
  private struct Refusal: Error {}

  @Test func `A refresh after a rollback leaves the edits of other models unsaved`() async throws {
    let store = MemoryModelStore()
    let song = try await store.create(Song()), list = try await store.create(SetList())
    list.title = "New"
    list.$songs.add(song)
    do {
      try await store.transaction { store in
        song.title = "rolled back"
        try await store.save(song)
        let work: @MainActor @Sendable () async throws -> Void = {
          song.seconds = 5
          try await store.save(song)
        }
        try await Task.detached { try await work() }.value
        throw Refusal()
      }
    } catch is Refusal {}
    #expect(list.$title.isDirty && list.$songs.isDirty)
    try await store.refresh(song)
    #expect(list.title == "New" && list.$title.isDirty && list.$songs.isDirty)
    #expect(list.songs == [song] && song.setLists == [list])
    try await store.save(list)
    let stored = try await MemoryModelStore(store.handle).lookup(SetList.self, identifier: "1")
    #expect(stored.title == "New" && stored.songs?.map(\.id) == [1])
  }

  @Test func `A save by another task leaves out an edit of a transaction that can't be compared`() async throws {
    let store = MemoryModelStore()
    let guest = Guest()
    guest.address = Address(city: "Bath")
    try await store.save(guest)
    do {
      try await store.transaction { _ in
        guest.address = Address(city: "rolled back")
        let work: @MainActor @Sendable () async throws -> Void = {
          guest.name = "Ada"
          try await store.save(guest)
        }
        try await Task.detached { try await work() }.value
        throw Refusal()
      }
    } catch is Refusal {}
    #expect(guest.address?.city == "Bath" && guest.name == "Ada" && !guest.isDirty)
    let stored = try await MemoryModelStore(store.handle).lookup(Guest.self, identifier: "1")
    #expect(stored.address?.city == "Bath" && stored.name == "Ada")
  }
}

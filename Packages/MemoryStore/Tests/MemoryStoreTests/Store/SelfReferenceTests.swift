import MemoryStore
import ModelCore
import StoreProtocolTesting
import Testing

private final class Friend: Model {
  let id = Field<Int>()
  let best = ModelField<Friend>(foreignKey: true)
  let friends = ModelField<Friend>(foreignKey: true)*
  let badge = ModelField<Badge>()
  override var identifierField: AnyField? { id }
}

private final class Badge: Model {
  let bearer = ModelField<Friend>(foreignKey: true)
}

@Suite struct `A new model that references itself` {
  private let store = MemoryModelStore()

  private func stored() async throws -> Friend {
    let found = try await MemoryModelStore(store.handle).list(Friend.self)
    return try #require(found.first)
  }

  @Test func `A new model is created with a foreign key to itself`() async throws {
    let friend = Friend()
    friend.best.value = friend
    try await store.create(friend)
    #expect(!friend.isDirty)
    let found = try await stored()
    #expect(found.best.value === found)
  }

  @Test func `A new model is created with a list of foreign keys that contains itself`() async throws {
    let other = try await store.create(Friend())
    store.scope.remove(other)
    let friend = Friend()
    friend.friends.add(other)
    friend.friends.add(friend)
    try await store.createAll([friend])
    #expect(!friend.isDirty)
    let found = try await MemoryModelStore(store.handle).list(Friend.self)
    #expect(found[1].friends.value == found)
  }

  @Test func `A new model is created with an embedded model that references it`() async throws {
    let friend = Friend(), badge = Badge()
    badge.bearer.value = friend
    friend.badge.value = badge
    try await store.create(friend)
    #expect(!friend.isDirty)
    let found = try await stored()
    #expect(found.badge.value?.bearer.value === found)
  }
}

@_spi(ModelKitInternals) import FieldKit
import MemoryStore
import StoreProtocol
import Testing

@testable import SyncStore

/// A model with a sensitive field, and one that is embedded.
private final class Member: Model {
  let id = Field<String>()
  let name = Field<String>()
  let password = Field<String>(sensitive: true)
  let card = ModelField<Card>()
  override var identifierField: AnyField? { id }
}

private final class Card: Model {
  let number = Field<String>(sensitive: true)
  let bank = Field<String>()
}

@Suite struct `The entries of an outbox` {
  private let server = RESTFixture()

  private func client(_ types: [any Model.Type] = [Author.self, Book.self, Tag.self, Member.self]) -> MemorySyncStore {
    SyncModelStore(local: MemoryModelStore(), remote: server.store(), types: types)
  }

  @Test func `An entry has the kind of its change, and the changed members with old and new value`() async throws {
    let store = client()
    let (edited, deleted) = (Tag.labeled("a", "Old"), Tag.labeled("b", "B"))
    try await store.save(edited)
    try await store.save(deleted)
    #expect(try await store.outbox().map(\.kind) == [.creation, .creation])
    try await store.sync()
    edited.label.value = "New"
    try await store.save(edited)
    try await store.delete(deleted)
    try await store.save(Tag.labeled("c", "C"))
    let entries = try await store.outbox()
    #expect(entries.map(\.kind) == [.update, .deletion, .creation])
    #expect(entries[0].changes.map(\.key) == ["label"])
    #expect(entries[0].changes.first?.old == "Old")
    #expect(entries[0].changes.first?.new == "New")
    #expect(entries[1].changes == [])
    #expect(entries[2].changes.map(\.old) == [nil, nil])
    #expect(
      entries.map(\.description) == [
        #"update of Tag a (label: "Old" → "New")"#, "deletion of Tag b",
        #"creation of Tag c (id: nothing → "c", label: nothing → "C")"#,
      ])
  }

  @Test func `A parked entry is described with the message of the server`() async throws {
    let store = client()
    try await store.save(Tag.labeled("a", "poison"))
    try await store.sync()
    let entry = try #require(try await store.outbox().first)
    #expect(entry.description.hasPrefix("creation of Tag a ("))
    #expect(entry.description.contains("), parked: "))
    #expect(entry.fields == ["label": ["is poison"]])
  }

  @Test func `Texts of an entry have no values of sensitive fields, nor of models with such that are embedded`()
    async throws
  {
    let store = client()
    let (member, card) = (Member(), Card())
    (member.id.value, member.name.value, member.password.value) = ("m", "Ada", "secret-1")
    (card.number.value, card.bank.value) = ("secret-2", "Acme")
    member.card.value = card
    try await store.save(member)
    let entry = try #require(try await store.outbox().first)
    #expect(entry.changes.map(\.key) == ["card", "id", "name", "password"])
    #expect(entry.changes.map(\.isSensitive) == [true, false, false, true])
    #expect(entry.changes.last?.new == "secret-1")
    var dumped = ""
    dump(entry, to: &dumped)
    dump(entry.changes, to: &dumped)
    for text in ["\(entry)", String(reflecting: entry), dumped, "\(entry.changes)"] {
      #expect(text.contains("Ada") && text.contains("(redacted)"))
      #expect(!text.contains("secret"))
    }
  }

  @Test func `Values of a class that is unknown here are sensitive`() async throws {
    let store = client()
    try await store.save(Tag.labeled("a", "Label"))
    let other = SyncModelStore(store.handle, remote: server.store())
    let entry = try #require(try await other.outbox().first)
    #expect(entry.changes.map(\.isSensitive) == [true, true])
    #expect(!"\(entry)".contains("Label"))
  }

  @Test func `An entry names the entries that it waits for, and the others of its transaction`() async throws {
    let store = client()
    let (author, book) = (Author(), Book.titled("Emma"))
    author.name.value = "Jane Austen"
    book.author.value = author
    try await store.save(author)
    try await store.save(book)
    try await store.transaction { store in
      try await store.save(Tag.labeled("a", "A"))
      try await store.save(Tag.labeled("b", "B"))
    }
    try await store.save(Tag.labeled("c", "C"))
    let entries = try await store.outbox()
    #expect(entries.map(\.waitsFor.count) == [0, 1, 0, 1, 0])
    #expect(entries[1].waitsFor.first?.description == "Author \(author.id.value ?? 0)")
    #expect(entries[3].waitsFor.first?.description == "Tag a")
  }

  @Test func `An entry whose record can't be read is in the outbox, without changes`() async throws {
    let engine = KillableEngine(MemoryModelStore().handle, shouldDie: { false })
    let store = SyncModelStore(SyncEngine(engine), remote: server.store(), types: [Tag.self])
    try await store.save(Tag.labeled("a", "A"))
    engine.damaged.withLock { $0 = [["Tag", "a"]] }
    let entries = try await store.outbox()
    #expect(entries.map(\.description) == ["creation of Tag a"])
  }
}

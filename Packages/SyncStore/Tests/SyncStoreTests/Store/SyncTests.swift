@_spi(ModelKitInternals) import FieldKit
import MemoryStore
import StoreEngine
import StoreProtocol
import SyncStore
import Testing

@Suite struct `A synchronised store` {
  let shelf = Shelf()

  @Test func `A created record is on the server after a synchronisation, and the outbox is empty`() async throws {
    let store = shelf.client()
    let book = Book.titled("Emma", rating: 4)
    try await store.save(book)
    #expect(try await shelf.store.list(Book.self).isEmpty)
    let report = try await store.sync()
    #expect(report.pushed == 1 && report.waiting == 0 && report.failures.isEmpty)
    let found = try await shelf.store.list(Book.self)
    #expect(found.map(\.title.value) == ["Emma"])
    #expect(found.map(\.rating.value) == [4])
    #expect(try await store.outbox().isEmpty)
    #expect(try await store.list(Book.self) == [book])
    #expect(!book.isDirty)
  }

  @Test func `A client-made identifier stays`() async throws {
    let store = shelf.client()
    let tag = Tag.labeled("new", "New")
    try await store.save(tag)
    try await store.sync()
    #expect(tag.id.value == "new")
    #expect(try await shelf.store.lookup(Tag.self, identifier: "new").label.value == "New")
    #expect(try await store.outbox().isEmpty)
  }

  @Test func `An update sends the changed fields only`() async throws {
    let (first, second) = (shelf.client(), shelf.client())
    try await first.save(Tag.labeled("a", "A"))
    try await first.save(Book.titled("Emma", rating: 1))
    try await first.sync()
    try await second.sync()
    let mine = try #require(try await first.list(Book.self).first)
    let theirs = try #require(try await second.list(Book.self).first)
    mine.rating.value = 5
    try await first.save(mine)
    theirs.pages.value = 300
    try await second.save(theirs)
    try await first.sync()
    try await second.sync()
    try await first.sync()
    for store in [first, second] {
      let book = try #require(try await store.list(Book.self).first)
      #expect(book.rating.value == 5)
      #expect(book.pages.value == 300)
      #expect(try await store.discardedValues().isEmpty)
      #expect(try await store.outbox().isEmpty)
    }
    // A live model follows a pulled change at once.
    #expect(mine.pages.value == 300)
  }

  @Test func `A save without changes leaves the outbox empty`() async throws {
    let store = shelf.client()
    let author = Author(), book = Book.titled("Emma")
    author.name.value = "Jane"
    book.author.value = author
    try await store.save(book, including: .related)
    try await store.sync()
    try await store.save(book)
    try await store.save(author)
    try await store.transaction { store in
      try await store.save(book)
      try await store.save(author)
    }
    #expect(try await store.outbox().isEmpty)
    #expect(try await store.sync().pushed == 0)
    book.rating.value = 5
    try await store.save(book)
    try await store.save(author)
    #expect(try await store.outbox().map(\.type) == ["Book"])
    #expect(try await store.sync().pushed == 1)
  }

  @Test func `The description of a report has its numbers`() {
    var report = SyncReport()
    (report.pulled, report.pushed, report.waiting) = (12, 3, 1)
    #expect("\(report)" == "12 pulled, 3 pushed, 0 discarded, 1 waiting, 0 failed")
    report.damaged = ["Book/1"]
    #expect("\(report)" == "12 pulled, 3 pushed, 0 discarded, 1 waiting, 0 failed, 1 damaged")
  }

  @Test func `Records that are deleted stay deleted, although the referenced one was edited before`() async throws {
    let store = shelf.client()
    let author = Author(), book = Book.titled("Emma")
    author.name.value = "Jane"
    book.author.value = author
    try await store.save(book, including: .related)
    try await store.sync()
    author.name.value = "Anne"
    try await store.save(author)
    try await store.delete(book)
    try await store.delete(author)
    let report = try await store.sync()
    #expect(report.waiting == 0 && report.failures.isEmpty)
    for store in [shelf.store, store] as [any ModelStore] {
      #expect(try await store.list(Book.self).isEmpty)
      #expect(try await store.list(Author.self).isEmpty)
    }
    #expect(try await store.discardedValues().isEmpty)
  }

  @Test func `A deletion reaches the server and the other client`() async throws {
    let (first, second) = (shelf.client(), shelf.client())
    try await first.save(Tag.labeled("a", "A"))
    try await first.sync()
    try await second.sync()
    #expect(try await second.list(Tag.self).count == 1)
    try await first.delete(try await first.lookup(Tag.self, identifier: "a"))
    try await first.sync()
    #expect(try await shelf.store.list(Tag.self).isEmpty)
    #expect(try await second.sync().pulled == 1)
    #expect(try await second.list(Tag.self).isEmpty)
    #expect(try await first.outbox().isEmpty)
    #expect(try await second.outbox().isEmpty)
  }

  @Test func `A restarted client sends the writes of an earlier one`() async throws {
    let local = MemoryModelStore().handle
    do {
      let store = shelf.client(local)
      try await store.save(Book.titled("Emma"))
    }
    let store = shelf.client(local)
    #expect(try await store.outbox().count == 1)
    try await store.sync()
    #expect(try await shelf.store.list(Book.self).map(\.title.value) == ["Emma"])
    #expect(try await store.sync().pushed == 0)
  }

  @Test func `An unchanged server costs no local write`() async throws {
    let store = shelf.client()
    for number in 0..<3 { try await store.save(Tag.labeled("\(number)", "Tag")) }
    try await store.sync()
    let report = try await store.sync()
    #expect(report.pulled == 0 && report.pushed == 0 && report.discarded == 0)
  }

  @Test func `A record with an unknown class stays in the outbox and is reported`() async throws {
    let local = MemoryModelStore().handle
    try await shelf.client(local).save(Tag.labeled("a", "A"))
    let store = SyncModelStore(local: MemoryModelStore(local), remote: shelf.store)
    let report = try await store.sync()
    #expect(report.failures.map(\.identifier) == ["a"])
    #expect(report.waiting == 1)
    store.synchronize(Tag.self)
    #expect(try await store.sync().pushed == 1)
  }

  @Test(arguments: [
    "list", "page", "count", "stream", "lookup", "identifiers", "sum", "groups", "values", "minimum", "observe",
    "update all", "transaction",
  ])
  func `A class that was only queried is synchronised`(call: String) async throws {
    try await shelf.store.create(Tag.labeled("a", "A"))
    let store = SyncModelStore(local: MemoryModelStore(), remote: shelf.store)
    switch call {
    case "list": #expect(try await store.list(Tag.self).isEmpty)
    case "page": #expect(try await store.page(ModelQuery(Tag.self, limit: 1), after: nil).models.isEmpty)
    case "count": #expect(try await store.count(Tag.self) == 0)
    case "lookup": _ = try? await store.lookup(Tag.self, identifier: "a")
    case "identifiers": #expect(try await store.identifiers(ModelQuery(Tag.self)).isEmpty)
    case "sum": #expect(try await store.count(Tag.self, distinct: { $0.label }) == 0)
    case "groups":
      let groups = try await store.groups(Tag.self, by: { $0.label }) { $0.count }
      #expect(groups.isEmpty)
    case "values": #expect(try await store.values(Tag.self, of: { $0.label }).isEmpty)
    case "minimum": #expect(try await store.minimum(Tag.self, of: { $0.label }) == nil)
    case "observe":
      var results = store.observe(Tag.self).makeAsyncIterator()
      #expect(await results.next(isolation: #isolation)?.models.isEmpty == true)
    case "update all":
      let count = try await store.updateAll(Tag.self) { $0.label.value = "B" }
      #expect(count == 0)
    case "transaction":
      let count = try await store.transaction { store in try await store.list(Tag.self).count }
      #expect(count == 0)
    default: for try await tag in store.stream(Tag.self) { Issue.record("\(tag) is not here yet") }
    }
    #expect(try await store.sync().pulled == 1)
    #expect(try await store.list(Tag.self).map(\.label.value) == ["A"])
  }

  @Test func `An instance without remote store refuses to synchronise`() async throws {
    let store = MemorySyncStore(shelf.client().handle)
    await #expect { try await store.sync() } throws: { ($0 as? ModelStoreError)?.code == .unsupported }
  }
}

@Suite struct `An identifier that the server assigns` {
  let shelf = Shelf()

  @Test func `The model stays the same object, and is found under both identifiers`() async throws {
    let store = shelf.client()
    let book = Book.titled("Emma")
    try await store.save(book)
    let temporary = try #require(book.identifier)
    #expect(temporary.hasPrefix("-"))
    try await store.sync()
    #expect(book.identifier == "1")
    #expect(try await store.lookup(Book.self, identifier: "1") === book)
    #expect(try await store.lookup(Book.self, identifier: temporary) === book)
    #expect(try await store.list(Book.self) == [book])
    #expect(!book.isDirty)
  }

  @Test func `References follow in the local store and on the server`() async throws {
    let store = shelf.client()
    let (author, book) = (Author(), Book.titled("Emma"))
    author.name.value = "Jane"
    book.author.value = author
    try await store.save(book, including: .related)
    try await shelf.store.create(Author())
    try await store.sync()
    #expect(author.identifier == "2")
    #expect(try await store.list(Book.self, where: { $0.author == author }) == [book])
    let stored = try #require(try await shelf.store.list(Book.self).first)
    #expect(stored.author.value?.identifier == "2")
    #expect(try await store.outbox().isEmpty)
    #expect(!book.isDirty && !author.isDirty)
    #expect(try await store.sync().pushed == 0)
  }

  @Test func `An edit of a model that was read before its identifier changed is saved`() async throws {
    let store = shelf.client()
    let other = MemorySyncStore(store.handle)
    let book = Book.titled("Emma")
    try await store.save(book)
    let temporary = try #require(book.identifier)
    let same = try await other.lookup(Book.self, identifier: temporary)
    try await store.sync()
    same.rating.value = 5
    try await other.save(same)
    #expect(try await other.lookup(Book.self, identifier: temporary) === same)
    #expect(same.identifier == "1")
    try await store.sync()
    #expect(try await shelf.store.list(Book.self).map(\.rating.value) == [5])
    #expect(try await store.list(Book.self).count == 1)
  }

  @Test(arguments: ["list", "first", "page", "stream", "related", "transaction", "observe"])
  func `A live model of another store instance stays the object of its record, however it is read`(
    reading: String
  ) async throws {
    let store = shelf.client()
    let other = MemorySyncStore(store.handle)
    let (author, book) = (Author(), Book.titled("Emma"))
    book.author.value = author
    try await other.save(book, including: .related)
    try await store.sync()
    let answer = try await read(reading, other)
    #expect(answer.map(ObjectIdentifier.init) == [book].map(ObjectIdentifier.init))
    #expect(book.identifier == "1" && author.identifier == "1" && book.author.value === author)
    #expect(!book.isDirty && !author.isDirty)
    book.rating.value = 5
    try await other.save(book)
    #expect(try await other.list(Book.self).map(\.rating.value) == [5])
  }

  private func read(_ reading: String, _ store: MemorySyncStore) async throws -> [Book] {
    switch reading {
    case "first": return try await [store.first(Book.self)].compactMap { $0 }
    case "page": return try await store.page(ModelQuery(Book.self), after: nil).models
    case "stream":
      var books: [Book] = []
      for try await book in store.stream(Book.self) { books.append(book) }
      return books
    case "related":
      let author = try #require(try await store.first(Author.self, including: [\.books]))
      return author.books.value ?? []
    case "transaction":
      struct Stop: Error {}
      try? await store.transaction { store in
        _ = try await store.list(Book.self)
        throw Stop()
      }
      return try await store.list(Book.self)
    case "observe":
      for try await results in store.observe(Book.self) { return results.models }
      return []
    default: return try await store.list(Book.self)
    }
  }

  @Test func `New records that reference each other reach the server with their references`() async throws {
    final class Node: Model {
      let id = Field<Int>()
      let next = ModelField<Node>(foreignKey: true)
      override var identifierField: AnyField? { id }
    }
    let store = SyncModelStore(local: MemoryModelStore(), remote: shelf.store, types: [Node.self])
    let (first, second) = (Node(), Node())
    try await store.transaction { store in
      try await store.save(first)
      second.next.value = first
      try await store.save(second)
      first.next.value = second
      try await store.save(first)
    }
    let report = try await store.sync()
    #expect(report.waiting == 0)
    let nodes = try await shelf.store.list(Node.self)
    #expect(nodes.count == 2)
    #expect(nodes.allSatisfy { $0.next.value?.next.value === $0 })
    #expect(try await store.lookup(Node.self, identifier: first.identifier ?? "").next.value === second)
    #expect(try await store.lookup(Node.self, identifier: second.identifier ?? "") === second)
  }

  @Test func `A record that is deleted before it was sent is never sent`() async throws {
    let store = shelf.client()
    let book = Book.titled("Emma")
    try await store.save(book)
    try await store.delete(book)
    #expect(try await store.sync().pushed == 0)
    #expect(try await shelf.store.list(Book.self).isEmpty)
  }
}

@Suite(.serialized) struct `The hooks of a model` {
  /// A model that notes its hooks in all of its instances.
  final class Watched: Model {
    static let calls = Lock<[String]>([])
    let id = Field<Int>()
    let name = Field<String>()
    override var identifierField: AnyField? { id }
    override func beforeSave() { note("beforeSave") }
    override func afterCreate() { note("afterCreate") }
    override func afterUpdate() { note("afterUpdate") }
    override func afterDelete() { note("afterDelete") }

    private func note(_ call: String) { Self.calls.withLock { $0.append(call) } }
  }

  @Test func `The hooks of a model run for the local write only`() async throws {
    let store = SyncModelStore(local: MemoryModelStore(), remote: MemoryModelStore(), types: [Watched.self])
    let model = Watched()
    try await store.save(model)
    try await store.sync()
    model.name.value = "new"
    try await store.save(model)
    try await store.sync()
    try await store.delete(model)
    try await store.sync()
    #expect(try await store.outbox().isEmpty)
    let calls = Watched.calls.withLock { $0 }
    #expect(calls == ["beforeSave", "afterCreate", "beforeSave", "afterUpdate", "afterDelete"])
  }
}

private final class Folder: Model {
  @Field var id: Int?
  @Field var name: String?
  @ModelArrayField(foreignKey: true, deleteRule: .cascade, inverse: \.$folder) var files: [File]?
  override var identifierField: AnyField? { $id }
}

private final class File: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var folder: Folder?
  override var identifierField: AnyField? { $id }
}

@Suite struct `A synchronised deletion of a folder that stores the list of its files` {
  /// Creates a folder with two files on the server, and returns a client that has them.
  private func client(_ server: MemoryModelStore) async throws -> (store: MemorySyncStore, folder: Folder) {
    let (folder, files) = (Folder(), [File(), File()])
    (folder.name, folder.files) = ("Letters", files)
    try await server.save(folder, including: .related)
    let store = SyncModelStore(
      local: MemoryModelStore(), remote: MemoryModelStore(server.handle), types: [Folder.self, File.self])
    try await store.sync()
    #expect(try await store.count(File.self) == 2)
    return (store, try #require(try await store.list(Folder.self).first))
  }

  @Test func `A synchronised deletion of a folder with a stored list of files deletes both on the server`() async throws
  {
    let server = MemoryModelStore()
    let (store, folder) = try await client(server)
    try await store.delete(folder)
    let report = try await store.sync()
    // The server may delete the second file with the folder.
    #expect(report.discarded == 0 && report.waiting == 0)
    #expect(try await server.count(Folder.self) == 0)
    #expect(try await server.count(File.self) == 0)
  }

  @Test func `A change of another client is still a conflict`() async throws {
    let server = MemoryModelStore()
    let (store, folder) = try await client(server)
    try await store.delete(folder)
    let theirs = try #require(try await server.list(Folder.self).first)
    theirs.name = "Bills"
    try await server.save(theirs)
    #expect(try await store.sync().discarded == 1)
    #expect(try await server.list(Folder.self).map(\.name) == ["Bills"])
  }
}

@Suite struct `The removal of local records` {
  let shelf = Shelf()

  @Test func `The removal of local records is denied while there are unsent changes`() async throws {
    let store = shelf.client()
    try await store.save(Tag.labeled("a", "A"))
    let error = try await #require(throws: ModelStoreError.self) { try await store.removeLocalRecords() }
    #expect(error.code == .denied && error.message.contains("Tag a"))
    #expect(try await store.count(Tag.self) == 1)
    try await store.sync()
    try await store.removeLocalRecords()
    #expect(try await store.count(Tag.self) == 0)
    #expect(try await shelf.store.count(Tag.self) == 1)
    #expect(try await store.sync().pulled == 1)
  }

  @Test func `The removal of local records includes all classes that were ever read, even after a restart`()
    async throws
  {
    let local = MemoryModelStore().handle
    let author = Author()
    author.name.value = "Jane"
    try await shelf.store.create(author)
    let first = SyncModelStore(local: MemoryModelStore(local), remote: shelf.store, types: [Tag.self])
    #expect(try await first.list(Author.self).isEmpty)
    #expect(try await first.sync().pulled == 1)
    let second = SyncModelStore(local: MemoryModelStore(local), remote: shelf.store, types: [Tag.self])
    try await second.removeLocalRecords()
    #expect(try await MemoryModelStore(local).count(Author.self) == 0)
  }

  @Test func `The removal of local records can discard unsent changes`() async throws {
    let store = shelf.client()
    try await store.save(Tag.labeled("a", "A"))
    try await store.sync()
    let tag = try await store.lookup(Tag.self, identifier: "a")
    tag.label.value = "B"
    try await store.save(tag)
    try await store.save(Book.titled("Emma"))
    try await store.removeLocalRecords(discardUnsynced: true)
    #expect(try await store.outbox().isEmpty)
    #expect(try await store.count(Book.self) == 0)
    #expect(try await store.sync().pushed == 0)
    #expect(try await shelf.store.list(Tag.self).map(\.label.value) == ["A"])
  }
}

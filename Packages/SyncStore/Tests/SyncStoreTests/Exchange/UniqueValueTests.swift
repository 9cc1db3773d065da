import FileStore
import Foundation
import MemoryStore
import RESTService
import RESTStore
import StoreProtocol
import SyncStore
import Testing

/// A server with a unique index, which has a value that a client wants to write into another record.
@Suite struct `A unique value that another record of the server has` {
  private func withClient(
    _ body: (_ store: MemorySyncStore, _ server: FileModelStore) async throws -> Void
  ) async throws {
    try await withFolder { folder in
      let server = FileModelStore(directory: folder, options: FileStoreOptions(durability: .none))
      try await server.index(\Tag.label, unique: true)
      try await server.index(\Book.title, unique: true)
      try await server.create(Tag.labeled("taken", "Red"))
      try await server.create(Book.titled("Emma"))
      let service = RESTService(server.handle, serving: [Book.self, Tag.self])
      var address = URLComponents()
      (address.scheme, address.host) = ("http", "api.test")
      let remote = RESTModelStore(baseURL: try #require(address.url), transport: service)
      let store = SyncModelStore(local: MemoryModelStore(), remote: remote, types: [Book.self, Tag.self])
      try await body(store, server)
      try await server.close()
    }
  }

  @Test func `A creation with such a value is parked with a message on the field, and sent after a correction`()
    async throws
  {
    try await withClient { store, server in
      let (tag, book) = (Tag.labeled("a", "Red"), Book.titled("Emma"))
      try await store.save(tag)
      try await store.save(book)
      try await store.save(Tag.labeled("b", "Blue"))
      let report = try await store.sync()
      #expect(report.pushed == 1 && report.waiting == 2)
      let entries = try await store.failures()
      #expect(entries.map(\.type) == ["Tag", "Book"])
      #expect(entries.map { Array($0.fields.keys) } == [["label"], ["title"]])
      #expect(tag.validationErrors.map { "\($0.path)" } == ["label"])
      #expect(book.validationErrors.map { "\($0.path)" } == ["title"])
      tag.label.value = "Green"
      try await store.save(tag)
      book.title.value = "Persuasion"
      try await store.save(book)
      #expect(try await store.sync().waiting == 0)
      #expect(try await server.count(Tag.self) == 3)
      #expect(try await server.count(Book.self) == 2)
    }
  }

  @Test func `An update to such a value is parked with a message on the field, and keeps the local value`()
    async throws
  {
    try await withClient { store, server in
      let tag = Tag.labeled("a", "Blue")
      try await store.save(tag)
      try await store.sync()
      tag.label.value = "Red"
      try await store.save(tag)
      #expect(try await store.sync().waiting == 1)
      #expect(try await store.failures().map { Array($0.fields.keys) } == [["label"]])
      #expect(tag.label.value == "Red" && tag.validationErrors.map { "\($0.path)" } == ["label"])
      #expect(try await store.discardedValues().isEmpty)
      // The other record gives the value up.
      let other = try await server.lookup(Tag.self, identifier: "taken")
      try await server.delete(other)
      for entry in try await store.failures() { try await store.retry(entry) }
      #expect(try await store.sync().waiting == 0)
      #expect(try await server.lookup(Tag.self, identifier: "a").label.value == "Red")
    }
  }
}

import Foundation
import ModelKit
import Testing

@testable import BookshopKit

@Suite struct `A shop and a remote store` {
  private func filled() async throws -> Shop {
    let shop = Shop(store: MemoryModelStore())
    _ = try await shop.importCatalogue(CatalogueFile(contentsOf: shippedCatalogue))
    return shop
  }

  @Test func `After a push the server equals the shop, and the next push has no work`() async throws {
    let shop = try await filled()
    let remote = Shop(store: MemoryModelStore())
    let report = try await shop.push(to: remote.store)
    #expect(report.authors == MergeCounts(added: 89))
    #expect(report.books == MergeCounts(added: 440))
    #expect(try await remote.catalogue().json == shop.catalogue().json)
    #expect(try await shop.push(to: remote.store).books == MergeCounts(unchanged: 440))
  }

  @Test func `A push sends only differences and does not modify the shop's own models`() async throws {
    let shop = try await filled()
    let store = RecordingStore()
    _ = try await shop.push(to: store)
    let book = try await shop.rate(101, 5)
    #expect(try await shop.push(to: store).books == MergeCounts(updated: 1, unchanged: 439))
    #expect(store.updates == ["Book 101: rating"])
    #expect(book.scope === shop.store.scope)
  }

  @Test func `A pull adds missing models and keeps those that only the shop has`() async throws {
    let remote = try await filled()
    let shop = Shop(store: MemoryModelStore())
    try await shop.store.create(try Author.from(dictionaryValue: ["author_id": 500, "name": ["full": "Mine"]]))
    let report = try await shop.pull(from: remote.store)
    #expect(report.authors == MergeCounts(added: 89))
    #expect(report.books == MergeCounts(added: 440))
    #expect(try await shop.authors().count == 90)
    #expect(try await shop.pull(from: remote.store).books == MergeCounts(unchanged: 440))
  }

  @Test func `A pull rejects books without an author`() async throws {
    let remote = MemoryModelStore()
    try await remote.create(try Book.from(dictionaryValue: ["book_id": 1, "title": "T", "author_id": 7]))
    try await remote.create(try Book.from(dictionaryValue: ["book_id": 2, "title": "T"]))
    let report = try await Shop(store: MemoryModelStore()).pull(from: remote)
    #expect(report.books == MergeCounts(rejected: 2))
    #expect(
      report.rejections.flatMap(\.reasons) == [
        "Book.1.author_id: there is no author 7", "Book.2.author_id is required",
      ])
  }

  @Test func `Two shops push, pull and synchronise over HTTP`() async throws {
    let folder = try TemporaryFolder()
    let server = try ShopServer(directory: folder.url.appending(path: "server.store"))
    let shop = try await filled()
    #expect(try await shop.push(to: server.url).books == MergeCounts(added: 440))
    #expect(try await shop.push(to: server.url).books == MergeCounts(unchanged: 440))
    let pulled = Shop(store: MemoryModelStore())
    #expect(try await pulled.pull(from: server.url).authors == MergeCounts(added: 89))
    #expect(try await pulled.catalogue().json == shop.catalogue().json)

    let first = Shop(directory: folder.url.appending(path: "first.store"))
    let second = Shop(directory: folder.url.appending(path: "second.store"))
    #expect(try await first.sync(with: server.url).pulled == 529)
    #expect(try await second.sync(with: server.url).pulled == 529)
    _ = try await first.removeBook(105)
    _ = try await second.rate(101, 5)
    #expect(try await first.sync(with: server.url).pushed == 1)
    let summary = try await second.sync(with: server.url)
    #expect(summary.lines == ["1 received, 1 sent, 0 waiting"])
    #expect(try await second.books().count == 439)
    try await first.close()
    try await second.close()
    try await server.stop()
    // The records of the server are in its folder.
    let later = try ShopServer(directory: folder.url.appending(path: "server.store"))
    let reader = Shop(store: MemoryModelStore())
    #expect(try await reader.pull(from: later.url).books == MergeCounts(added: 439))
    #expect(try await reader.book(101).rating.value == 5)
    try await later.stop()
  }

  @Test func `A server reports that its port is in use`() async throws {
    let folder = try TemporaryFolder()
    let server = try ShopServer(directory: folder.url)
    let port = try #require(server.url.port.map { UInt16($0) })
    #expect { try ShopServer(directory: folder.url.appending(path: "other"), port: port) } throws: { error in
      "\(error)".contains("port \(port)") && "\(error)".contains("--port")
    }
    try await server.stop()
  }
}

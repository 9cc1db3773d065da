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

  @Test func `Requests and responses have the number under the key of the server`() throws {
    let api = BookshopAPI()
    #expect(api.serialize(["book_id": 1, "author_id": 2], of: Book.self) == ["id": 1, "author_id": 2])
    #expect(api.serialize(["author_id": 2], of: Author.self) == ["id": 2])
    #expect(try api.deserialize(["id": 1, "author_id": 2], of: Book.self) == ["book_id": 1, "author_id": 2])
    #expect(try api.deserialize(["id": 2], of: Author.self) == ["author_id": 2])
    #expect(throws: ModelDecodingError.self) { try api.deserialize([1], of: Book.self) }
  }
}

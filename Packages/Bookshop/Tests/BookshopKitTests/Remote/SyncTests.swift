import Foundation
import ModelKit
import Testing

@testable import BookshopKit

@Suite struct `Two shops that synchronise with one server` {
  let folder: TemporaryFolder
  let server = Shop(store: MemoryModelStore())

  init() throws { folder = try TemporaryFolder() }

  private func fill(_ shop: Shop) async throws {
    let file = try folder.file(
      #"""
      [{"author_id": 1, "name": {"full": "Jane Austen"}, "books": [
        {"book_id": 101, "title": "Emma", "tags": ["novel"]}, {"book_id": 102, "title": "Persuasion"}
      ]}]
      """#)
    _ = try await shop.importCatalogue(CatalogueFile(contentsOf: file))
  }

  /// Runs a function with a shop, and synchronises it then.
  @discardableResult
  private func sync(_ name: String, after edit: (Shop) async throws -> Void = { _ in }) async throws -> SyncSummary {
    try await folder.withShop(name) { shop in
      try await edit(shop)
      return try await shop.sync(with: server.store)
    }
  }

  private func fill() async throws {
    try await sync("first") { try await fill($0) }
    try await sync("second")
  }

  @Test func `A catalogue that was imported offline reaches the server and the other shop`() async throws {
    let sent = try await sync("first") { try await fill($0) }
    #expect(sent.pushed == 3 && sent.waiting == 0 && sent.failures == [])
    #expect(try await sync("second").pulled == 3)
    let catalogue = try await folder.withShop("second") { try await $0.catalogue().json }
    #expect(try await server.catalogue().json == catalogue)
  }

  @Test func `Offline edits of different values are merged, and of the same value the server's is kept`() async throws {
    try await fill()
    try await sync("second") { _ = try await $0.rate(101, 5) }
    let merged = try await sync("first") { shop in
      _ = try await shop.tag(101, [.add("mine")])
      _ = try await shop.removeBook(102)
    }
    #expect(merged.pushed == 2 && merged.replaced == [])
    let summary = try await sync("second") { _ = try await $0.rate(101, 4) }
    #expect(summary.pulled == 2 && summary.pushed == 1)
    let conflict = try await sync("first") { _ = try await $0.rate(101, 1) }
    #expect(conflict.replaced == ["Book 101: rating 1 was replaced by the server's value"])
    #expect(try await sync("first").replaced == [])
    for name in ["first", "second"] {
      let (book, others) = try await folder.withShop(name) { shop in
        (try await shop.book(101), try await shop.books().map(\.id.value))
      }
      #expect(book.rating.value == 4)
      #expect(book.tags.value?.contains("mine") == true)
      #expect(!others.contains(102))
    }
  }

  @Test func `Changes wait while the server can't be reached`() async throws {
    let nowhere = try #require(URL(string: "http://127.0.0.1:1"))
    try await folder.withShop { shop in
      try await fill(shop)
      let error = try await #require(throws: ShopError.self) { try await shop.sync(with: nowhere) }
      #expect(error.description.contains("The changes of 3 authors and books are kept"))
      #expect(try await shop.sync(with: server.store).pushed == 3)
    }
  }
}

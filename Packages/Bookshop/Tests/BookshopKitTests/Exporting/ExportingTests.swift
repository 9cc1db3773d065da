import Foundation
import ModelKit
import Testing

@testable import BookshopKit

@Suite struct `An export` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `An imported export has the same stock as the original`() async throws {
    let file = folder.url.appending(path: "export.json")
    let original = try await folder.withShop { shop in
      _ = try await shop.importCatalogue(CatalogueFile(contentsOf: shippedCatalogue))
      let written = try await shop.export(to: file)
      #expect(written.authors == 89)
      #expect(written.books == 440)
      #expect(written.leftOut.isEmpty)
      return try await shop.catalogue().json
    }
    let second = folder.url.appending(path: "second.json")
    try await folder.withShop("copy.store") { shop in
      let report = try await shop.importCatalogue(CatalogueFile(contentsOf: file))
      #expect(report.authors == MergeCounts(added: 89))
      #expect(report.books == MergeCounts(added: 440))
      #expect(try await shop.catalogue().json == original)
      _ = try await shop.export(to: second)
    }
    #expect(try Data(contentsOf: file) == Data(contentsOf: second))
  }

  @Test func `An export has the shape of the shipped catalogue`() async throws {
    let shop = Shop(store: MemoryModelStore())
    _ = try await shop.importCatalogue(CatalogueFile(contentsOf: shippedCatalogue))
    let exported = try await shop.catalogue().json
    let shipped = try JSONValue(json: Data(contentsOf: shippedCatalogue))
    #expect(exported[path: "authors[0].books"] == shipped[path: "authors[0].books"])
    #expect(exported[path: "authors[0].name.full"] == "Jane Austen")
    #expect(exported[path: "authors[0].born"] == "1775-12-16")
  }

  @Test func `An export reports the books that it leaves out because their author is missing`() async throws {
    let shop = Shop(store: MemoryModelStore())
    let book = try Book.from(dictionaryValue: ["book_id": 1, "title": "T", "author_id": 5])
    try await shop.store.create(book)
    let (json, leftOut) = try await shop.catalogue()
    #expect(json["authors"] == [])
    #expect(leftOut.map(\.identifier) == ["1"])
  }

  @Test func `An export that can't be written reports the reason`() async throws {
    let shop = Shop(store: MemoryModelStore())
    let file = folder.url.appending(path: "missing/export.json")
    let error = await #expect(throws: ShopError.self) { _ = try await shop.export(to: file) }
    #expect(error?.description.contains("export.json' can't be written: there is no folder") == true)
    let other = await #expect(throws: ShopError.self) { _ = try await shop.export(to: folder.url) }
    #expect(other?.description.contains("can't be written: it is a directory") == true)
  }
}

import BookshopKit
import Foundation
import Testing

@Suite struct `The demo` {
  @Test func `The demo shows every command and the notifications of observers, and removes its folder`() async throws {
    let folder = try TemporaryFolder()
    var lines: [String] = []
    let demo = Demo(catalogue: shippedCatalogue, remote: nil, in: folder.url, style: Style(isColoured: false)) {
      lines.append($0)
    }
    try await demo.run()
    for command in ["import", "list", "show", "rate", "tag", "remove", "export", "sync"] {
      #expect(lines.contains { $0.hasPrefix("$ bookshop \(command) ") })
    }
    #expect(lines.contains("authors: 89 added, 0 updated, 0 unchanged, 1 rejected"))
    #expect(lines.contains("  -> the window shows Emma with 4 of 5 stars"))
    #expect(lines.contains("Error: rating must be less than or equal to 5"))
    #expect(lines.contains("  -> the window shows 4 books by Jane Austen"))
    #expect(lines.contains("The copy has every author and book with equal values."))
    #expect(lines.contains { $0.contains("There is no connection. The changes of 1 author or book are kept") })
    #expect(lines.contains { $0.hasPrefix("  -> waiting: update of Book 101 (rating: nothing → 3, ") })
    #expect(lines.contains("Book 101: rating 3 was replaced by the server's value"))
    #expect(lines.contains("Emma: ★★★★★, novel, gift"))
    #expect(lines.filter { $0 == "The copy has every author and book with equal values." }.count == 2)
    #expect(try folder.files() == [])
  }

  @Test func `A demo that fails removes its folder`() async throws {
    let folder = try TemporaryFolder()
    let missing = folder.url.appending(path: "missing.json")
    let demo = Demo(catalogue: missing, remote: nil, in: folder.url, style: Style(isColoured: false)) { _ in }
    await #expect(throws: ShopError.self) { try await demo.run() }
    #expect(try folder.files() == [])
  }
}

import Foundation
import ModelKit

extension Demo {
  /// Synchronises two shops with one server, one of them after it worked without a connection.
  func synchronise(in folder: URL) async throws {
    print("")
    print(style.bold("Two shops synchronise with one server, over HTTP:"))
    // A free port, so its address is not printed.
    let running = try ShopServer(directory: folder.appending(path: "server.store"))
    let server = Shop.remote(at: running.url)
    command("serve")
    let file = folder.appending(path: "emma.json")
    try Data(Self.emma.utf8).write(to: file)
    let first = Shop(directory: folder.appending(path: "first.store"), durability: .interval(.milliseconds(500)))
    let second = Shop(directory: folder.appending(path: "second.store"), durability: .interval(.milliseconds(500)))

    command("import emma.json --store first.store")
    show(try await first.importCatalogue(CatalogueFile(contentsOf: file)))
    try await sync(first, "first", server)
    try await sync(second, "second", server)
    command("rate 101 5 --store first.store")
    print(rating(try await first.rate(101, 5)))
    try await sync(first, "first", server)

    command("rate 101 3 --store second.store", "the second shop has no connection")
    print(rating(try await second.rate(101, 3)))
    command("tag 101 +gift --store second.store")
    print("Emma: \(try await second.tag(101, [.add("gift")]).tagText)")
    try await sync(second, "second", Self.unreachable())
    for entry in try await second.outbox() { print("  -> waiting: \(entry)") }

    command("sync SERVER --store second.store", "connected again: both changed the rating")
    try await second.sync(with: server).lines.forEach(print)
    try await sync(first, "first", server)
    command("show 101 --store first.store")
    let book = try await first.book(101)
    print("\(rating(book)), \(book.tagText)")
    try await compare(first, second)
    try await first.close()
    try await second.close()
    try await running.stop()
  }

  private func sync(_ shop: Shop, _ name: String, _ server: any ModelStore) async throws {
    command("sync SERVER --store \(name).store")
    do {
      try await shop.sync(with: server).lines.forEach(print)
    } catch let error as ShopError {
      print(style.red("Error: \(error)"))
    }
  }

  private func rating(_ book: Book) -> String { "\(book.title.value ?? ""): \(style.yellow(book.stars))" }

  private static let emma = """
    [{"author_id": 1, "name": {"full": "Jane Austen"}, "books": [
      {"book_id": 101, "title": "Emma", "tags": ["novel"]}, {"book_id": 102, "title": "Persuasion"}
    ]}]
    """

  /// Returns a server that no request reaches.
  private static func unreachable() -> any ModelStore {
    guard let url = URL(string: "http://server.test") else { preconditionFailure("This is a URL.") }
    return Shop.remote(at: url, transport: NoConnection())
  }
}

/// A transport without a network.
private struct NoConnection: HTTPTransport {
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    throw ModelStoreError(.offline, "There is no connection")
  }
}

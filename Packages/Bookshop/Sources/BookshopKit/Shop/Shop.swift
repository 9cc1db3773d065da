package import Foundation
package import ModelKit

/// The stock of a shop: what the commands do, without the commands.
package final class Shop {
  /// Where the authors and books are kept.
  package let store: any ModelStore
  /// How far a long operation is. Observe it to show a progress bar.
  package let progress = ValueSource(ShopProgress())
  private let fileStore: FileModelStore?

  /// Runs a shop on any store.
  package init(store: any ModelStore) {
    self.store = store
    fileStore = nil
  }

  /// Runs a shop on a folder, which is made by the first write.
  ///
  /// - Parameters:
  ///   - directory: the folder of the store.
  ///   - durability: what a finished write has survived.
  package init(directory: URL, durability: Durability = .everyCommit) {
    let store = FileModelStore(directory: directory, options: FileStoreOptions(durability: durability))
    self.store = store
    fileStore = store
  }

  /// Whether there is a store in a folder.
  package static func exists(at directory: URL) -> Bool {
    FileManager.default.fileExists(atPath: directory.path(percentEncoded: false))
  }

  /// Brings everything to the disk and lets others use the store.
  package func close() async throws { try await fileStore?.close() }

  // MARK: Finding

  /// All authors in the order in which they came.
  package func authors() async throws -> [Author] { try await store.list(Author.self) }

  /// All books in the order in which they came, each with its author.
  package func books() async throws -> [Book] {
    // A scope holds models weakly: the authors have to be there when the books look for them.
    let authors = try await authors()
    defer { withExtendedLifetime(authors) {} }
    return try await store.list(Book.self)
  }

  /// The book with a number, with its author.
  package func book(_ id: Int) async throws -> Book {
    guard let book = try await find(Book.self, id) else { throw ShopError.noBook(id: id) }
    // Looking the author up fills in the one that the book refers to.
    if let author = book.author.value?.id.value { _ = try await find(Author.self, author) }
    return book
  }

  /// The author with a number, with all books of the shop, so that the author's are among them.
  package func author(_ id: Int) async throws -> (author: Author, books: [Book]) {
    guard let author = try await find(Author.self, id) else { throw ShopError.noAuthor(id: id) }
    return (author, try await store.list(Book.self).filter { $0.author.value === author })
  }

  /// A model, or nil if there is none with this number.
  func find<M: Model>(_ type: M.Type, _ id: Int) async throws -> M? {
    do {
      return try await store.lookup(type, identifier: String(id))
    } catch let error as ModelStoreError where error.code == .notFound {
      return nil
    }
  }
}

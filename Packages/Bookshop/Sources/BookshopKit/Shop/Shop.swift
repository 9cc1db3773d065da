package import Foundation
package import ModelKit

/// The stock of a shop, with the operations behind the commands.
package final class Shop {
  /// The store of the authors and books.
  package let store: any ModelStore
  /// The progress of a long operation. Observe it to show a progress bar.
  package let progress = ValueSource(ShopProgress())
  private let fileStore: FileModelStore?
  /// The store of the folder. Its outbox has the changes that the server of ``sync(with:)`` lacks.
  let offlineStore: SyncModelStore<FileModelStore.Handle>?

  /// Creates a shop on any store.
  package init(store: any ModelStore) {
    self.store = store
    (fileStore, offlineStore) = (nil, nil)
  }

  /// Creates a shop on a folder, which the first write creates.
  ///
  /// - Parameters:
  ///   - directory: the folder of the store.
  ///   - durability: the failures that a finished write survives.
  package init(directory: URL, durability: Durability = .everyCommit) {
    let files = FileModelStore(directory: directory, options: FileStoreOptions(durability: durability))
    let store = SyncModelStore(SyncEngine(files.handle))
    self.store = store
    (fileStore, offlineStore) = (files, store)
  }

  /// Whether there is a store in a folder.
  package static func exists(at directory: URL) -> Bool {
    FileManager.default.fileExists(atPath: directory.path(percentEncoded: false))
  }

  /// Writes everything to the disk and releases the lock of the store.
  package func close() async throws { try await fileStore?.close() }

  // MARK: Lookup

  /// Returns all authors in the order of creation.
  package func authors() async throws -> [Author] { try await store.list(Author.self) }

  /// Returns all books in the order of creation, each with its author.
  package func books() async throws -> [Book] {
    // A scope holds models weakly: the authors must be live when the books are linked to them.
    let authors = try await authors()
    defer { withExtendedLifetime(authors) {} }
    return try await store.list(Book.self)
  }

  /// Returns the book with a number, with its author.
  package func book(_ id: Int) async throws -> Book {
    guard let book = try await find(Book.self, id) else { throw ShopError.noBook(id: id) }
    // The lookup loads the unloaded reference of the book.
    if let author = book.author.value?.id.value { _ = try await find(Author.self, author) }
    return book
  }

  /// Returns the author with a number, and all books of the shop, so that the author's list is complete.
  package func author(_ id: Int) async throws -> (author: Author, books: [Book]) {
    guard let author = try await find(Author.self, id) else { throw ShopError.noAuthor(id: id) }
    return (author, try await store.list(Book.self).filter { $0.author.value === author })
  }

  /// Returns the model with a number; nil if there is none.
  func find<M: Model>(_ type: M.Type, _ id: Int) async throws -> M? {
    do {
      return try await store.lookup(type, identifier: String(id))
    } catch let error as ModelStoreError where error.code == .notFound {
      return nil
    }
  }
}

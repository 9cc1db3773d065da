import MemoryStore
import StoreProtocol
import SyncStore

/// A model whose integer identifier the server assigns.
final class Author: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let city = Field<String>()
  let books = ModelField<Book>(foreignKey: true)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, name, city] }
}

final class Book: Model {
  let id = Field<Int>()
  let title = Field<String>()
  let rating = Field<Int>()
  let pages = Field<Int>()
  let author = ModelField<Author>(foreignKey: true, inverse: \.books)
  override var identifierField: AnyField? { id }
}

/// A model whose identifier the client makes.
final class Tag: Model {
  let id = Field<String>()
  let label = Field<String>()
  override var identifierField: AnyField? { id }
}

typealias MemorySyncStore = SyncModelStore<MemoryEngine>

/// A server in memory, and clients of it.
struct Shelf {
  let server = MemoryModelStore().handle

  /// Makes a client, or restarts one.
  ///
  /// - Parameters:
  ///   - local: the engine of the client.
  ///   - remote: the remote store; nil for the server itself.
  func client(
    _ local: MemoryEngine = MemoryModelStore().handle, remote: (any ModelStore)? = nil,
    options: SyncOptions = SyncOptions()
  ) -> MemorySyncStore {
    SyncModelStore(
      local: MemoryModelStore(local), remote: remote ?? MemoryModelStore(server),
      types: [Author.self, Book.self, Tag.self],
      options: options)
  }

  /// The content that the server has, through a store instance of its own.
  var store: MemoryModelStore { MemoryModelStore(server) }
}

extension Book {
  static func titled(_ title: String, rating: Int? = nil) -> Book {
    let book = Book()
    book.title.value = title
    book.rating.value = rating
    return book
  }
}

extension Tag {
  static func labeled(_ id: String, _ label: String) -> Tag {
    let tag = Tag()
    tag.id.value = id
    tag.label.value = label
    return tag
  }
}

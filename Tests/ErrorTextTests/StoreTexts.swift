import Foundation
import ModelKit

extension ErrorText {
  static let stores: [ErrorText] = [
    ErrorText("a lookup of what is not there", #"There is no Author with the identifier "7"."#) { _ in
      _ = try await MemoryModelStore().lookup(Author.self, identifier: "7")
    },
    ErrorText(
      "an update of what is not there",
      """
      There is no Author with the identifier "7". This Author has not been stored yet: create it first, or use \
      save.
      """
    ) { _ in try await MemoryModelStore().update(Author(id: 7, "Jane")) },
    ErrorText(
      "an update after the identifier changed",
      """
      There is no Author with the identifier "7". Nothing was written, because this Author was stored as "1", and its \
      identifier has changed since: restore the identifier, or create another Author.
      """
    ) { _ in
      let store = MemoryModelStore()
      let author = Author("Jane")
      try await store.create(author)
      author.id.value = 7
      try await store.update(author)
    },
    ErrorText(
      "a deletion after the identifier changed",
      """
      This Author was not deleted: it was stored as "1", and its identifier was changed since. Restore the identifier, for \
      example with revert(), and delete it then.
      """
    ) { _ in
      let store = MemoryModelStore()
      let author = Author("Jane")
      try await store.create(author)
      author.id.value = 7
      try await store.delete(author)
    },
    ErrorText("an identifier that is taken", #"Another Author has the identifier "7" already. Nothing was written."#) {
      _ in
      let store = MemoryModelStore()
      try await store.create(Author(id: 7, "Jane"))
      try await store.create(Author(id: 7, "Ada"))
    },
    ErrorText("an update without an identifier", "This Author has no identifier: it was not created in a store yet.") {
      _ in try await MemoryModelStore().update(Author("Jane"))
    },
    ErrorText(
      "a model that can't hold an identifier",
      """
      This Note was not written: it has no field that can hold the identifier "UUID". Override \
      identifierField with a field of integers or strings.
      """
    ) { _ in
      do {
        try await MemoryModelStore().create(Note())
      } catch {
        throw Reported("\(error)".replacing(/[0-9A-F-]{36}/, with: "UUID"))
      }
    },
    ErrorText("a model that breaks a rule", "This Author was not written: name cannot be blank.") { _ in
      try await MemoryModelStore().create(Author(id: 7, ""))
    },
    ErrorText(
      "a model that can't be written to a store",
      """
      This Author was not written: height can't be written: expected a finite number, found inf
      """
    ) { _ in
      let author = Author("Jane")
      author.height.value = .infinity
      try await MemoryModelStore().create(author)
    },
    ErrorText(
      "a model that others keep from being deleted",
      """
      Firm "7" was not deleted: "debts" still refers to 2 models (Debt "1", Debt "2"), and its delete rule is \
      deny. Remove or delete them first.
      """
    ) { _ in
      let store = MemoryModelStore()
      let firm = Firm()
      firm.id.value = "7"
      try await store.create(firm)
      for _ in 1...2 {
        let debt = Debt()
        debt.firm.value = firm
        try await store.create(debt)
      }
      try await store.delete(firm)
    },
    ErrorText(
      "a value that has to be unique",
      #"The Author "2" was not written: its name must be unique, and "1" has the same value."#
    ) { _ in
      let store = MemoryModelStore()
      try store.index(\Author.name, unique: true)
      try await store.create(Author("Jane"))
      try await store.create(Author("Jane"))
    },
    ErrorText(
      "a unique index of values that are not",
      """
      "name" of Author was not indexed as unique: "1" and "2" have the same value. Change one of them first.
      """
    ) { _ in
      let store = MemoryModelStore()
      try await store.create(Author("Jane"))
      try await store.create(Author("Jane"))
      try store.index(\Author.name, unique: true)
    },
    ErrorText(
      "an index of values that are not hashable",
      """
      No index of "color" was created: values of the type Color are not Hashable. Make the type Hashable, or query without an \
      index.
      """
    ) { _ in
      try MemoryModelStore().index(\Author.color)
    },
    ErrorText(
      "an index of a to-many relation",
      """
      No index of "authors" was created: it is a to-many relation. Index a foreign key of one model, or query without an index.
      """
    ) { _ in
      try MemoryModelStore().index(\Shelf.authors)
    },
    ErrorText(
      "a transaction that another write overtook",
      """
      The transaction was not written: another writer changed Author "1" since the transaction read it. Its edits were \
      rolled back: repeat the transaction.
      """
    ) { _ in
      let store = MemoryModelStore()
      try await store.create(Author("Jane"))
      let other = MemoryModelStore(store.handle)
      try await store.transaction { store in
        let author = try await store.lookup(Author.self, identifier: "1")
        author.name.value = "Emily"
        try await store.update(author)
        let same = try await other.lookup(Author.self, identifier: "1")
        same.name.value = "Ada"
        try await other.update(same)
      }
    },
    ErrorText("a snapshot that is none", "Nothing was restored: the value is not a snapshot of a store.") { _ in
      try MemoryModelStore().restore(["models": []])
    },
    ErrorText(
      "a snapshot of a newer version",
      "Nothing was restored: the snapshot has version 2, but only version 1 is supported."
    ) { _ in
      try MemoryModelStore().restore(["version": 2, "types": [:]])
    },
    ErrorText(
      "a snapshot with a model that is none", "Nothing was restored: a record of Author has no identifier or no value."
    ) { _ in
      try MemoryModelStore().restore(["version": 1, "types": ["Author": [["id": 1], "Jane"]]])
    },
    ErrorText(
      "a stored model that can't be read",
      """
      The stored Author "7" can't be read: name: expected an integer, found the string "Jane". Nothing was \
      changed: read it with a class whose fields can hold it, or delete it.
      """
    ) { _ in
      let store = MemoryModelStore()
      try await store.create(Author(id: 7, "Jane"))
      _ = try await MemoryModelStore(store.handle).list(NumberedAuthor.self)
    },
    ErrorText("a task that was cancelled", "The task was cancelled. Nothing was written or read.") { _ in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        _ = try await MemoryModelStore().list(Author.self)
      }
      try await task.value
    },
  ]
}

/// A model with an ordinary property for a relation to many.
private final class Shelf: Model {
  @Field var id: Int?
  @ModelArrayField(foreignKey: true) var authors: [Author]?
  override var identifierField: AnyField? { $id }
}

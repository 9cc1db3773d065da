import Foundation
import ModelKit
import Testing

private final class Author: Model {
  @Field var id: Int?
  @Required var name = "Unknown"
  @ModelArrayField(inverse: \.$author) var books: [Book]?
  override var identifierField: AnyField? { $id }
}

private final class Book: Model {
  @Field var id: Int?
  @Required(.notBlank) var title = "Untitled"
  @Field var year: Int?
  @ModelField(foreignKey: true) var author: Author?
  override var identifierField: AnyField? { $id }
}

/// An author whose record has the list.
private final class Editor: Model {
  @Field var id: Int?
  @ModelArrayField(foreignKey: true) var books: [Book]?
  override var identifierField: AnyField? { $id }
}

private final class Photo: Model {
  @Required var file = ""
  @Field var caption: String?
}

private final class Project: Model {
  @Field var id: Int?
  @ModelArrayField var photos: [Photo]?
  @ModelField var cover: Photo?
  override var identifierField: AnyField? { $id }
}

/// A value that can't be compared.
private struct Address: Codable {
  var city = ""
}

private final class Guest: Model {
  @Field var id: Int?
  @Field(configure: { $0.onSet { _, _ in } }) var address: Address?
  @Field var name: String?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Drafts of stored models` {
  private let store = MemoryModelStore()

  @Test func `A member that a draft adds joins a list that was unloaded meanwhile`() async throws {
    var books: [Book] = []
    for title in ["a", "b", "c", "d"] { books.append(try await stored(title)) }
    let editor = Editor()
    editor.books = [books[0], books[1]]
    try await store.save(editor)
    let draft = editor.draft()
    draft.$books.add(books[2])
    editor.unload()
    let other = MemoryModelStore(store.handle)
    let theirs = try await other.lookup(Editor.self, identifier: "1")
    theirs.$books.add(try await other.lookup(Book.self, identifier: "4"))
    try await other.save(theirs)
    try await store.save(draft.apply())
    let read = try await MemoryModelStore(store.handle).list(Editor.self, including: [\.$books])
    #expect(read[0].books?.map(\.title).sorted() == ["a", "b", "c", "d"])

    try await store.refresh(editor)
    draft.discard()
    draft.$books.remove(books[0])
    editor.unload()
    try await store.save(draft.apply())
    #expect(editor.books?.contains(books[0]) == false)
    let again = try await MemoryModelStore(store.handle).list(Editor.self, including: [\.$books])
    #expect(again[0].books?.map(\.title).sorted() == ["b", "c", "d"])
  }

  @Test func `A draft keeps the members of a list that was unloaded, and read in part, meanwhile`() async throws {
    let author = try await store.create(Author())
    var books: [Book] = []
    for title in ["a", "b", "c", "d"] {
      let book = try await stored(title)
      if title != "c" { book.author = author }
      try await store.save(book)
      books.append(book)
    }
    author.books = try await store.list(Book.self, where: { $0.author == author })
    try await store.save(author)
    let draft = author.draft()
    draft.$books.add(books[2])
    author.unload()
    try await store.refresh(books[3])
    try draft.apply()
    try await store.save(books[2])
    #expect(books.allSatisfy { $0.author === author })
    let read = try await MemoryModelStore(store.handle).list(Book.self, where: { $0.author == author })
    #expect(read.map(\.title) == ["a", "b", "c", "d"])
  }

  private func project() async throws -> Project {
    let project = Project()
    project.photos = ["a", "b"].map { name in
      let photo = Photo()
      photo.file = name
      return photo
    }
    project.cover = Photo()
    return try await store.create(project)
  }

  @Test func `Removing an embedded model in a draft is a conflict with an edit of it in the original`() async throws {
    for side in [EditConflict.Side.mine, .theirs] {
      let project = try await project()
      let draft = project.draft()
      draft.photos?.removeFirst()
      draft.cover = nil
      #expect(draft.conflicts.isEmpty)
      project.photos?[0].caption = "important"
      project.cover?.caption = "cover"
      #expect(draft.conflicts.map(\.key) == ["photos", "cover"])
      #expect(throws: ModelDraftError.self) { try draft.apply() }
      try draft.apply { _ in side }
      #expect(project.photos?.map(\.file) == (side == .mine ? ["b"] : ["a", "b"]))
      #expect(project.photos?[0].caption == (side == .mine ? nil : "important"))
      #expect((project.cover == nil) == (side == .mine))
    }
  }

  @Test func `An edit of an embedded model in a draft is a conflict if its list was read with another length`()
    async throws
  {
    let project = try await project()
    let draft = project.draft()
    draft.photos?[0].caption = "mine"
    let other = MemoryModelStore(store.handle)
    let theirs = try await other.lookup(Project.self, identifier: "1")
    theirs.photos?.removeFirst()
    try await other.save(theirs)
    try await store.refresh(project)
    #expect(project.photos?.map(\.file) == ["b"])
    #expect(draft.conflicts.map(\.key) == ["photos"])
    #expect(throws: ModelDraftError.self) { try draft.apply() }
    #expect(project.photos?[0].caption == nil)
  }

  @Test func `A draft of a value that can't be compared has no conflict with the same value`() async throws {
    let guest = Guest()
    guest.address = Address(city: "Bath")
    try await store.save(guest)
    let draft = guest.draft()
    draft.address = Address(city: "Rome")
    try await store.refresh(guest)
    #expect(draft.conflicts.isEmpty && draft.isDirty)
    try await store.save(draft.apply())
    let read = try await MemoryModelStore(store.handle).lookup(Guest.self, identifier: "1")
    #expect(read.address?.city == "Rome")
  }

  @Test func `A draft is dirty if a model that was created in it references it`() async throws {
    let draft = try await store.create(Author()).draft()
    #expect(!draft.isDirty)
    let book = draft.makeModel(Book.self)
    #expect(!draft.isDirty)
    book.author = draft.model
    #expect(draft.isDirty)
    try draft.apply()
    #expect(!draft.isDirty && book.author === draft.original)
  }

  private func stored(_ title: String) async throws -> Book {
    let book = Book()
    book.title = title
    return try await store.create(book)
  }

  @Test func `A draft is applied and saved`() async throws {
    let book = try await stored("Emma")
    let author = try await store.create(Author())
    let draft = book.draft()
    draft.title = "Persuasion"
    draft.author = author
    #expect(draft.$title.isDirty && !book.$title.isDirty)
    #expect(author.books?.isEmpty != false)
    try await store.save(draft.apply())
    #expect(!book.isDirty && !draft.isDirty && author.books == [book])
    let other = try await MemoryModelStore(store.handle).lookup(Book.self, identifier: "1")
    #expect(other.title == "Persuasion" && other.author?.identifier == "1")
  }

  @Test func `A change from another store instance is merged, or a conflict if it changed the same field`() async throws
  {
    let book = try await stored("Emma")
    let other = MemoryModelStore(store.handle)
    let theirs = try await other.lookup(Book.self, identifier: "1")
    let draft = book.draft()
    draft.title = "Mine"

    theirs.year = 1815
    try await other.save(theirs)
    try await store.refresh(book)
    try await store.save(draft.apply())
    #expect(book.title == "Mine" && book.year == 1815)

    draft.title = "Mine again"
    try await other.refresh(theirs)
    theirs.title = "Theirs"
    try await other.save(theirs)
    try await store.refresh(book)
    let error = #expect(throws: ModelDraftError.self) { try draft.apply() }
    let conflict = try #require(error?.conflicts.first)
    #expect(conflict.base == "Mine" && conflict.mine == "Mine again" && conflict.theirs == "Theirs")
    #expect(book.title == "Theirs" && !book.isDirty)
    try await store.save(draft.apply { _ in .mine })
    try await other.refresh(theirs)
    #expect(theirs.title == "Mine again")
  }

  @Test func `A draft of a new model is created in the store, and a released one is not`() async throws {
    let author = try await store.create(Author())
    do {
      let draft = Book().draft()
      draft.author = author
    }
    #expect(store.scope.unsavedModels.isEmpty && author.books?.isEmpty != false)
    let draft = Book().draft()
    draft.title = ""
    draft.author = author
    #expect(!draft.model.validate().isValid)
    draft.title = "Emma"
    try await store.save(draft.apply())
    #expect(draft.original.identifier == "1" && author.books == [draft.original])
    #expect(try await store.count(Book.self) == 1)
  }

  @Test func `A model that is made in a draft is saved after it was applied`() async throws {
    let author = try await store.create(Author())
    let draft = author.draft()
    let book = draft.makeModel(Book.self)
    book.title = "Emma"
    book.author = draft.model
    #expect(author.books?.isEmpty != false && store.scope.unsavedModels.isEmpty)
    try draft.apply()
    try await store.save(book)
    let found = try await MemoryModelStore(store.handle).list(Book.self, where: { $0.author.name == "Unknown" })
    #expect(found.map(\.title) == ["Emma"])
  }

  @Test func `An applied and saved draft is undone in the store`() async throws {
    let book = try await stored("Emma")
    let undo = ModelUndo(store.scope)
    let draft = book.draft()
    draft.title = "Mine"
    draft.year = 1
    try undo.step("Edit") { _ = try draft.apply() }
    try await store.save(book)
    #expect(undo.undoLabel == "Edit")
    try await store.save(undo.undo())
    #expect(book.title == "Emma" && book.year == nil && !undo.canUndo)
  }

  @Test func `A member that a draft adds to a list that is not loaded is saved beside the stored ones`() async throws {
    let author = try await store.create(Author())
    let book = try await stored("Emma")
    book.author = author
    try await store.save(book)
    let other = MemoryModelStore(store.handle)
    let read = try await other.lookup(Author.self, identifier: "1")
    let undo = ModelUndo(other.scope)
    #expect(read.$books.loadState == .notLoaded)
    let draft = read.draft()
    let added = Book()
    draft.$books.add(added)
    try await other.save(draft.apply(), including: .related)
    #expect(read.books == [added] && read.$books.count == nil && !read.isDirty)
    #expect(try await store.count(Book.self, where: { $0.author == author }) == 2)
    try await other.save(undo.undo())
    #expect(read.$books.count == nil && !read.isDirty)
    #expect(try await store.count(Book.self, where: { $0.author == author }) == 1)
    try await other.save(undo.redo())
    #expect(read.books == [added] && read.$books.count == nil)
    #expect(try await store.count(Book.self, where: { $0.author == author }) == 2)
  }

  @Test func `A model of a draft can't be saved itself`() async throws {
    let book = try await stored("Emma")
    let draft = book.draft()
    draft.title = "Mine"
    await #expect(throws: ModelStoreError.self) { try await store.save(draft.model) }
    #expect(draft.model.scope === draft.scope && draft.isDirty)
    #expect(try await store.lookup(Book.self, identifier: "1") === book)
    try await store.save(draft.apply())
    #expect(book.title == "Mine")
  }

  private struct Refusal: Error {}

  private func fail(_ body: () async throws -> Void) async {
    await #expect(throws: Refusal.self) {
      try await store.transaction { _ in
        try await body()
        throw Refusal()
      }
    }
  }

  @Test func `A draft that was applied in a transaction that fails has its edits again`() async throws {
    let book = try await stored("Emma")
    let draft = book.draft()
    draft.title = "Persuasion"
    draft.year = 1817
    await fail {
      try await store.save(draft.apply())
      draft.title = "Sanditon"
      try await store.save(draft.apply())
    }
    #expect(book.title == "Emma" && !book.isDirty)
    #expect(draft.title == "Persuasion" && draft.changes.map(\.key) == ["title", "year"])
    try await store.save(draft.apply())
    let other = try await MemoryModelStore(store.handle).lookup(Book.self, identifier: "1")
    #expect(other.title == "Persuasion" && other.year == 1817)
  }

  @Test func `A transaction that applies a draft can be repeated after a conflict`() async throws {
    let book = try await stored("Emma")
    let other = MemoryModelStore(store.handle)
    let theirs = try await other.lookup(Book.self, identifier: "1")
    let draft = book.draft()
    draft.title = "Persuasion"
    var attempts = 0
    while attempts < 5 {
      attempts += 1
      do {
        try await store.transaction { store in
          _ = try await store.lookup(Book.self, identifier: "1")
          if attempts == 1 {
            theirs.year = 1817
            try await other.save(theirs)
          }
          try await store.save(draft.apply())
        }
        break
      } catch let error as ModelStoreError where error.code == .conflict {}
    }
    #expect(attempts == 2)
    try await other.refresh(theirs)
    #expect(theirs.title == "Persuasion" && theirs.year == 1817)
  }

  @Test func `New models of a draft return to it after a transaction that fails`() async throws {
    let author = try await store.create(Author())
    let emma = try await stored("Emma")
    emma.author = author
    try await store.save(emma)
    let draft = author.draft(including: [author.$books])
    draft.name = "Jane"
    let new = draft.makeModel(Book.self)
    new.title = "Persuasion"
    draft.$books.add(new)
    draft.books?.first?.title = "Emma II"
    await fail {
      try await store.save(draft.apply(), including: .related)
      #expect(new.isPersisted && author.books?.count == 2)
    }
    #expect(author.name == "Unknown" && author.books == [emma] && !author.isDirty && emma.title == "Emma")
    #expect(!new.isPersisted && new.id == nil && store.scope.unsavedModels.isEmpty)
    #expect(draft.name == "Jane" && draft.books?.map(\.title) == ["Emma II", "Persuasion"])
    #expect(new.author === draft.model)
    try await store.save(draft.apply(), including: .related)
    try await store.save(emma)
    let other = try await MemoryModelStore(store.handle).list(Book.self, sort: [.ascending(\.title)])
    #expect(other.map(\.title) == ["Emma II", "Persuasion"])
    #expect(other.map { $0.author?.identifier } == ["1", "1"])
  }
}

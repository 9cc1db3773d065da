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
  @Required var title = "Untitled"
  @Field var saves: Int?
  @ModelField(foreignKey: true) var author: Author?
  override var identifierField: AnyField? { $id }
  override func beforeSave() { saves = (saves ?? 0) + 1 }
}

/// A model whose book notes its hooks.
private final class Journal: Model {
  @Field var id: Int?
  @Field var entries: [String]?
  override var identifierField: AnyField? { $id }
}

private final class JournaledBook: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var author: Author?
  var journal: Journal?
  override var identifierField: AnyField? { $id }
  override func afterUpdate() { journal?.entries = (journal?.entries ?? []) + ["updated"] }
  override func afterDelete() { journal?.entries = (journal?.entries ?? []) + ["deleted"] }
}

/// A model that is deleted with its parent, and has a link without inverse.
private final class Folder: Model {
  let id = Field<Int>()
  let folders = ModelField<Folder>(deleteRule: .cascade)*
  let parent: ModelField<Folder> = ModelField(foreignKey: true, inverse: \.folders)
  let origin = ModelField<Folder>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

/// A model with links that have no inverse.
private final class OneWay: Model {
  @Field var id: Int?
  @Field var text: String?
  @ModelField(foreignKey: true) var next: OneWay?
  @ModelArrayField(foreignKey: true) var all: [OneWay]?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Undoing edits of stored models` {
  @Test func `A saved step is undone in the store`() async throws {
    let store = MemoryModelStore()
    let book = Book()
    book.title = "Emma"
    try await store.create(book)
    let undo = ModelUndo(store.scope)
    undo.step("Rename") { book.title = "Persuasion" }
    try await store.save(book)
    try await store.save(undo.undo())
    #expect(book.title == "Emma" && !book.isDirty && !undo.canUndo)
    let other = MemoryModelStore(store.handle)
    #expect(try await other.lookup(Book.self, identifier: "1").title == "Emma")
    try await store.save(undo.redo())
    #expect(try await other.lookup(Book.self, identifier: "1").title == "Persuasion")
  }

  @Test func `An unsaved step is undone as an unsaved change if a deletion changed the record`() async throws {
    for isReplaced in [false, true] {
      for savesBetween in [false, true] {
        let store = MemoryModelStore()
        let author = Author(), other = Author(), book = Book()
        book.author = author
        try await store.save(book, including: .related)
        try await store.save(other)
        let undo = ModelUndo(store.scope)
        book.author = isReplaced ? other : nil
        try await store.delete(author)
        var changes = try undo.undo()
        if savesBetween { try await store.save(changes) }
        if !savesBetween { #expect(changes.modelsToSave == [author]) }
        changes = try undo.undo()
        #expect(book.author === author && book.isDirty && changes.modelsToSave.contains(book))
        if !savesBetween { try await store.save(author) }
        try await store.save(changes)
        let read = try await MemoryModelStore(store.handle).lookup(Book.self, identifier: "1")
        #expect(read.author?.id == author.id)
      }
    }
  }

  @Test func `A redo of a link to a new model saves that model as well`() async throws {
    let store = MemoryModelStore()
    let book = try await store.create(Book())
    let undo = ModelUndo(store.scope)
    book.author = Author()
    let author = try #require(book.author)
    try await store.save(undo.undo())
    let changes = try undo.redo()
    #expect(changes.modelsToSave == [author, book])
    try await store.save(changes)
    #expect(book.author === author && !author.isDirty && !book.isDirty)
    let read = try await MemoryModelStore(store.handle).lookup(Book.self, identifier: "1")
    #expect(read.author?.id == 1)
  }

  @Test func `A new model whose link was undone again is not saved with the changes from before`() async throws {
    let store = MemoryModelStore()
    let book = try await store.create(Book())
    let undo = ModelUndo(store.scope)
    book.author = Author()
    try undo.undo()
    let (redone, undone) = (try undo.redo(), try undo.undo())
    try await store.save(redone)
    try await store.save(undone)
    #expect(try await store.count(Author.self) == 0)
    #expect(book.author == nil && !book.isDirty)
  }

  @Test func `Linked new models are created and undone together`() async throws {
    for isTogether in [true, false] {
      let store = MemoryModelStore()
      let undo = ModelUndo(store.scope)
      let author = Author(), book = Book()
      book.author = author
      undo.beginStep("Create")
      if isTogether {
        try await store.save(author, including: .related)
      } else {
        try await store.save(author)
        try await store.save(book)
      }
      undo.endStep()
      try await store.save(undo.undo())
      #expect(try await store.count(Author.self) == 0)
      #expect(try await store.count(Book.self) == 0)
      #expect(!undo.canUndo)
      try await store.save(undo.redo())
      #expect(book.author === author && author.books == [book] && !author.isDirty && !book.isDirty)
      #expect(try await store.count(Author.self) == 1)
      #expect(try await store.count(Book.self) == 1)
    }
  }

  @Test func `Both sides of a link between new models are restored if one joined the scope later`() async throws {
    let store = MemoryModelStore()
    let undo = ModelUndo(store.scope)
    let author = Author(), book = Book(), sequel = Book()
    book.author = author
    try await store.save(sequel)
    #expect(author.scope == nil)
    author.$books.add(sequel)
    #expect(author.scope === store.scope && book.scope === store.scope)
    undo.step("Remove") { author.$books.remove(book) }
    try undo.undo()
    #expect(book.author === author && author.books == [book, sequel])
  }

  @Test func `A list that its members store is clean when its members are those of the store`() async throws {
    let store = MemoryModelStore()
    let authors = [Author(), Author()], books = [Book(), Book()]
    for author in authors { try await store.create(author) }
    for book in books {
      book.author = authors[0]
      try await store.create(book)
    }
    let undo = ModelUndo(store.scope)
    books[0].author = authors[1]
    books[0].author = authors[0]
    while undo.canUndo { try undo.undo() }
    #expect(Set(authors[0].books ?? []) == Set(books) && authors[1].books ?? [] == [])
    #expect(authors.allSatisfy { !$0.isDirty } && books.allSatisfy { !$0.isDirty })
    #expect(store.scope.unsavedModels.isEmpty)
    while undo.canRedo { try undo.redo() }
    #expect(Set(authors[0].books ?? []) == Set(books) && authors[1].books ?? [] == [])
  }

  @Test func `A created model with a link that has no inverse is deleted by an undo, and created by a redo`()
    async throws
  {
    let store = MemoryModelStore()
    let first = OneWay(), second = OneWay()
    try await store.save(first)
    let undo = ModelUndo(store.scope)
    undo.beginStep("Create")
    second.next = first
    second.all = [first]
    try await store.save(second)
    undo.endStep()
    for _ in 0..<2 {
      try await store.save(undo.undo())
      #expect(!undo.canUndo && undo.redoLabel == "Create")
      #expect(try await store.count(OneWay.self) == 1)
      try await store.save(undo.redo())
      #expect(undo.undoLabel == "Create" && !undo.canRedo)
      #expect(second.next === first && second.all == [first])
      let stored = try await MemoryModelStore(store.handle).lookup(OneWay.self, identifier: second.identifier ?? "")
      #expect(stored.next?.identifier == "1" && stored.all?.map(\.identifier) == ["1"])
    }
  }

  @Test func `A deletion is undone after its redo, if a deleted model references another one without inverse`()
    async throws
  {
    let store = MemoryModelStore()
    let owner = Folder(), part = Folder()
    part.parent.value = owner
    part.origin.value = owner
    try await store.save(owner)
    try await store.save(part)
    let undo = ModelUndo(store.scope)
    undo.beginStep("Delete")
    try await store.delete(owner)
    undo.endStep()
    for _ in 0..<3 {
      try await store.save(undo.undo())
      #expect(try await store.count(Folder.self) == 2)
      #expect(part.origin.value === owner && part.parent.value === owner && !undo.canUndo)
      try await store.save(undo.redo())
      #expect(try await store.count(Folder.self) == 0)
      #expect(undo.undoLabel == "Delete" && !undo.canRedo)
    }
  }

  @Test func `An edit of a model that was unloaded since is undone`() async throws {
    let store = MemoryModelStore()
    let model = OneWay()
    model.text = "A"
    try await store.save(model)
    let undo = ModelUndo(store.scope)
    model.text = "B"
    try await store.save(model)
    model.unload()
    try await store.save(undo.undo())
    #expect(model.text == "A")
    let stored = try await MemoryModelStore(store.handle).lookup(OneWay.self, identifier: "1")
    #expect(stored.text == "A")
  }

  @Test func `The undo of a link to new models keeps the links that these had before`() async throws {
    let store = MemoryModelStore()
    let stored = Folder(), child = Folder(), parent = Folder()
    try await store.save(stored)
    child.parent.value = parent
    child.origin.value = parent
    let undo = ModelUndo(store.scope)
    undo.step("Link") { stored.origin.value = child }
    for _ in 0..<2 {
      try undo.undo()
      #expect(stored.origin.value == nil && child.parent.value === parent && child.origin.value === parent)
      #expect(parent.folders.value == [child])
      try undo.redo()
      #expect(stored.origin.value === child && child.parent.value === parent && parent.folders.value == [child])
    }
    try await store.save(stored, including: .related)
    #expect(try await store.count(Folder.self) == 3)
  }

  @Test func `A created model is deleted by an undo, and created by a redo`() async throws {
    let store = MemoryModelStore()
    let undo = ModelUndo(store.scope)
    let book = Book()
    book.title = "Emma"
    try await store.create(book)
    #expect(undo.canUndo)
    let changes = try undo.undo()
    #expect(changes.modelsToDelete == [book] && changes.modelsToSave.isEmpty)
    try await store.save(changes)
    #expect(try await store.count(Book.self) == 0)
    #expect(undo.canRedo && !undo.canUndo)
    try await store.save(undo.redo())
    #expect(try await store.list(Book.self) == [book])
    #expect(book.identifier == "1" && book.title == "Emma")
  }

  @Test func `A deleted model is created again with its identifier and its relations`() async throws {
    let store = MemoryModelStore()
    let author = Author(), book = Book()
    book.title = "Emma"
    try await store.create(author)
    book.author = author
    try await store.create(book)
    let undo = ModelUndo(store.scope)
    try await store.delete(book)
    #expect(author.books ?? [] == [] && undo.canUndo)
    let changes = try undo.undo()
    #expect(changes.modelsToSave.contains(book))
    try await store.save(changes)
    let other = MemoryModelStore(store.handle)
    let read = try await other.lookup(Book.self, identifier: "1")
    #expect(read.title == "Emma" && read.author?.identifier == "1")
    #expect(author.books == [book] && book.author === author)
    try await store.save(undo.redo())
    #expect(try await store.count(Book.self) == 0)
    #expect(!undo.canRedo && undo.canUndo)
  }

  @Test func `A change of another store instance is no step, and a conflict for an older one`() async throws {
    let store = MemoryModelStore()
    let book = Book()
    try await store.create(book)
    let undo = ModelUndo(store.scope)
    book.title = "Emma"
    try await store.save(book)
    let other = MemoryModelStore(store.handle)
    let copy = try await other.lookup(Book.self, identifier: "1")
    copy.title = "Persuasion"
    try await other.save(copy)
    try await store.refresh(book)
    #expect(book.title == "Persuasion")
    #expect(throws: ModelUndoError.self) { try undo.undo() }
    try await store.save(undo.undo(onConflict: .overwrite))
    #expect(book.title == "Untitled" && !book.isDirty)
  }

  @Test func `The changes of the hooks of a deletion are no edits`() async throws {
    let store = MemoryModelStore()
    let journal = Journal(), book = JournaledBook(), author = Author()
    book.author = author
    book.journal = journal
    try await store.create(journal)
    try await store.create(author)
    try await store.create(book)
    let undo = ModelUndo(store.scope)
    try await store.delete(author)
    try await store.delete(book)
    #expect(journal.entries == ["updated", "deleted"])
    let creation = try undo.undo()
    #expect(creation.modelsToSave == [book])
    try await store.save(creation)
    let link = try undo.undo()
    #expect(!link.modelsToSave.contains(journal) && book.author === author)
    #expect(journal.entries == ["updated", "deleted"] && journal.isDirty)
  }

  @Test(arguments: ["edit", "transaction", "step"])
  func `Deleted members of a many-to-many list return to their positions`(form: String) async throws {
    try await UndoStoreKind.memory.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let (book, tags) = (world.books[2], world.tags)
      #expect(book.tags == tags)
      let undo = ModelUndo(store.scope)
      if form == "transaction" {
        try await world.transaction { for tag in tags { try await store.delete(tag) } }
      } else {
        if form == "step" { undo.beginStep() }
        for tag in tags { try await store.delete(tag) }
        if form == "step" { undo.endStep() }
      }
      while undo.canUndo { try await store.save(undo.undo()) }
      #expect(book.tags == tags && !book.isDirty)
      #expect(try await makeReader().lookup(UndoBook.self, identifier: "3").tags?.map(\.id) == [1, 2])
    }
  }

  @Test(arguments: [false, true])
  func `A list is clean after a member was added and deleted in a transaction, and that was undone`(wasSet: Bool)
    async throws
  {
    try await UndoStoreKind.memory.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let (book, tag) = (wasSet ? world.books[0] : UndoBook(), world.tags[0])
      if !wasSet { try await store.create(book) }
      let undo = ModelUndo(store.scope)
      try await world.transaction {
        book.$tags.add(tag)
        try await store.save(book)
        try await store.delete(tag)
        try await store.save(book)
      }
      try await store.save(undo.undo())
      #expect(book.tags?.isEmpty == true && tag.isPersisted)
      #expect(!book.isDirty && !tag.isDirty)
    }
  }

  @Test func `A refresh that discards an unsaved link is no step`() async throws {
    try await UndoStoreKind.memory.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let book = try await store.create(UndoBook())
      let undo = ModelUndo(store.scope)
      undo.step("Link") { book.author = world.authors[0] }
      try await store.refresh(book)
      #expect(book.author == nil && !book.isDirty)
      #expect(undo.undoLabel == "Link")
      let error = try #require(throws: ModelUndoError.self) { try undo.undo() }
      #expect(error.conflicts.map(\.key) == ["author"])
    }
  }

  @Test(arguments: [false, true])
  func `A redone creation has to be saved, although the undo of the deletion was not`(isDeleted: Bool) async throws {
    try await UndoStoreKind.memory.run { store, makeReader in
      let undo = ModelUndo(store.scope)
      let book = try await store.create(UndoBook())
      if isDeleted {
        try await store.delete(book)
        try undo.undo()
      } else {
        try await store.save(undo.undo())
        try undo.redo()
      }
      #expect(try undo.undo().isEmpty)
      let changes = try undo.redo()
      #expect(changes.modelsToSave == [book])
      try await store.save(changes)
      #expect(try await makeReader().count(UndoBook.self) == 1)
    }
  }
}

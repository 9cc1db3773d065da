import ModelKit
import Testing

@Suite struct `Undoing deletions` {
  /// The ways to delete some models.
  enum Way: CaseIterable, Sendable {
    case each, all, transaction

    func delete<M: Model>(_ models: [M], in world: UndoWorld, where filter: ((ModelColumns<M>) -> QueryExpression)?)
      async throws
    {
      switch self {
      case .each: for model in models { try await world.store.delete(model) }
      case .all: #expect(try await world.store.deleteAll(M.self, where: filter) == models.count)
      case .transaction:
        try await world.transaction { for model in models { try await world.store.delete(model) } }
      }
    }
  }

  /// Undoes and redoes the deletions of a closure, twice, and compares the models in memory and in the store.
  private func undo(
    in kind: UndoStoreKind, steps: Int, _ delete: (UndoWorld) async throws -> Void
  ) async throws {
    try await kind.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let beginning = try await world.snapshot()
      try #require(world.liveSnapshot == beginning)
      let undo = ModelUndo(store.scope)
      try await delete(world)
      let end = try await world.snapshot()
      #expect(world.liveSnapshot == end)
      for _ in 0..<2 {
        for _ in 0..<steps { try await store.save(undo.undo()) }
        #expect(!undo.canUndo)
        #expect(world.liveSnapshot == beginning)
        #expect(try await world.snapshot() == beginning)
        #expect(store.scope.unsavedModels.isEmpty)
        for _ in 0..<steps { try await store.save(undo.redo()) }
        #expect(!undo.canRedo)
        #expect(world.liveSnapshot == end)
        #expect(try await world.snapshot() == end)
        #expect(store.scope.unsavedModels.isEmpty)
      }
    }
  }

  @Test(arguments: UndoStoreKind.allCases, Way.allCases)
  func `An undo of deletions restores links to models that stay`(kind: UndoStoreKind, way: Way) async throws {
    try await undo(in: kind, steps: way == .each ? 2 : 1) { world in
      let author = world.authors[0]
      try await way.delete(author.books ?? [], in: world) { $0.author == author }
    }
  }

  @Test(arguments: UndoStoreKind.allCases, Way.allCases)
  func `An undo of deletions restores the models of a cascade with their links`(kind: UndoStoreKind, way: Way)
    async throws
  {
    try await undo(in: kind, steps: way == .each ? 2 : 1) { world in
      try await way.delete(world.authors, in: world, where: nil)
    }
  }

  @Test func `An undo restores an unloaded reference and the models that its deletion removed`() async throws {
    let writer = MemoryModelStore()
    let world = try await UndoWorld(writer) { MemoryModelStore(writer.handle) }
    let beginning = try await world.snapshot()
    let store = MemoryModelStore(writer.handle)
    let undo = ModelUndo(store.scope)
    let author = try #require(try await store.lookup(UndoBook.self, identifier: "1").author)
    try await store.delete(author)
    #expect(try await store.count(UndoBook.self, where: { $0.author == nil }) == 0)
    #expect(try await store.count(UndoBook.self) == 2)
    try await store.save(undo.undo())
    #expect(try await world.snapshot() == beginning)
    #expect(store.scope.unsavedModels.isEmpty)
  }

  @Test func `The changes of an undo are saved after all steps were removed, and are no step`() async throws {
    let store = MemoryModelStore()
    let world = try await UndoWorld(store) { MemoryModelStore(store.handle) }
    let beginning = try await world.snapshot()
    let undo = ModelUndo(store.scope)
    try await store.create(UndoTag())
    let changes = try undo.undo()
    undo.removeAll()
    try await store.save(changes)
    #expect(try await world.snapshot() == beginning)
    #expect(!undo.canUndo)
  }

  @Test(arguments: UndoStoreKind.allCases, Way.allCases)
  func `An undo of deletions restores links between the deleted models`(kind: UndoStoreKind, way: Way) async throws {
    try await undo(in: kind, steps: way == .each ? 4 : 2) { world in
      try await way.delete(world.tags, in: world, where: nil)
      let author = world.authors[1]
      try await way.delete(author.books ?? [], in: world) { $0.author == author }
    }
  }

  @Test(arguments: UndoStoreKind.allCases)
  func `An undo of a transaction that deletes models of several types restores their links`(kind: UndoStoreKind)
    async throws
  {
    try await undo(in: kind, steps: 1) { world in
      try await world.transaction {
        for tag in world.tags { try await world.store.delete(tag) }
        try await world.store.delete(world.books[2])
        for author in world.authors { try await world.store.delete(author) }
      }
    }
  }

  @Test(arguments: UndoStoreKind.allCases)
  func `Reading a record without its links to models that the transaction deleted does not lose the links`(
    kind: UndoStoreKind
  ) async throws {
    try await undo(in: kind, steps: 1) { world in
      try await world.transaction {
        for model in [world.tags[0], world.tags[1]] { try await world.store.delete(model) }
        try await world.store.delete(world.authors[1])
        let read = try await world.store.list(UndoBook.self)
        #expect(Set(read) == Set(world.books.filter(\.isPersisted)))
      }
    }
  }

  @Test(arguments: UndoStoreKind.allCases)
  func `A transaction that fails restores links that it read after their deletion`(kind: UndoStoreKind) async throws {
    try await kind.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let beginning = try await world.snapshot()
      await #expect(throws: CancellationError.self) {
        try await world.transaction {
          for tag in world.tags { try await store.delete(tag) }
          try await store.delete(world.authors[1])
          _ = try await store.list(UndoBook.self)
          throw CancellationError()
        }
      }
      #expect(world.liveSnapshot == beginning)
      #expect(store.scope.unsavedModels.isEmpty)
      try await world.save()
      #expect(try await world.snapshot() == beginning)
    }
  }

  @Test(arguments: UndoStoreKind.allCases)
  func `A transaction of a store is one step`(kind: UndoStoreKind) async throws {
    try await undo(in: kind, steps: 1) { world in
      try await world.transaction {
        for book in world.books {
          book.title = "Emma"
          book.author = world.authors[0]
          try await world.store.save(book)
        }
        try await world.store.delete(world.tags[1])
        try await world.addAuthor()
        try await world.store.delete(world.authors[1])
        try await world.addBook(of: world.authors[2], tags: [world.tags[0]])
      }
    }
  }

  /// The models that a test deletes.
  enum Deleted: CaseIterable, Sendable {
    case author, book, tag

    func delete(in store: some ModelStore, of world: UndoWorld) async throws {
      switch self {
      case .author: try await store.delete(store.lookup(UndoAuthor.self, identifier: world.authors[0].identifier!))
      case .book: try await store.delete(store.lookup(UndoBook.self, identifier: world.books[2].identifier!))
      case .tag: try await store.delete(store.lookup(UndoTag.self, identifier: world.tags[0].identifier!))
      }
    }
  }

  @Test(arguments: UndoStoreKind.allCases, Deleted.allCases)
  func `An undo of a deletion restores references in records whose models were not live`(
    kind: UndoStoreKind, deleted: Deleted
  ) async throws {
    try await kind.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let beginning = try await world.snapshot()
      let other = makeReader()
      let undo = ModelUndo(other.scope)
      undo.beginStep("Delete")
      try await deleted.delete(in: other, of: world)
      undo.endStep()
      let end = try await world.snapshot()
      for _ in 0..<2 {
        try await other.save(undo.undo())
        #expect(try await world.snapshot() == beginning)
        #expect(!undo.canUndo && other.scope.unsavedModels.isEmpty)
        try await other.save(undo.redo())
        #expect(try await world.snapshot() == end)
      }
    }
  }

  @Test func `A deletion with its cascade is one step, and its undo creates all models with their relations`()
    async throws
  {
    try await UndoStoreKind.memory.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let author = world.authors[0], books = try #require(author.books)
      #expect(books.count == 2)
      let undo = ModelUndo(store.scope)
      try await store.delete(author)
      #expect(!author.isPersisted && books.allSatisfy { !$0.isPersisted })
      let changes = try undo.undo()
      #expect(Set(changes.modelsToSave).isSuperset(of: [author] + books))
      try await store.save(changes)
      #expect(author.books == books && books.allSatisfy { $0.author === author && $0.isPersisted })
      #expect(!undo.canUndo && undo.canRedo)
      try await store.save(undo.redo())
      #expect(!author.isPersisted && undo.canUndo && !undo.canRedo)
    }
  }

  @Test(arguments: UndoStoreKind.allCases, 0..<8)
  func `A deletion is undone and redone whichever of its changes are saved`(kind: UndoStoreKind, saved: Int)
    async throws
  {
    try await kind.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let (tag, before) = (world.tags[0], try await world.snapshot())
      let undo = ModelUndo(store.scope)
      try await store.delete(tag)
      let after = try await world.snapshot()
      func save(_ changes: ModelUndo.Changes, _ number: Int) async throws {
        if saved & (1 << number) != 0 { try await store.save(changes) }
      }
      try await save(undo.undo(), 0)
      try await save(undo.redo(), 1)
      try await save(undo.undo(), 2)
      let last = try undo.redo()
      let again = try undo.undo()
      try await store.save(again)
      #expect(try await world.snapshot() == before && tag.isPersisted)
      try await store.save(last)
      #expect(try await world.snapshot() == before)
      try await store.save(undo.redo())
      #expect(try await world.snapshot() == after && !tag.isPersisted)
    }
  }

  @Test(arguments: UndoStoreKind.allCases)
  func `Changes that are saved late leave the store as the history is then`(kind: UndoStoreKind) async throws {
    try await kind.run { store, makeReader in
      let world = try await UndoWorld(store, makeReader)
      let undo = ModelUndo(store.scope)
      let author = try await store.create(UndoAuthor())
      let before = try await world.snapshot()
      let creation = [try undo.undo(), try undo.redo()]
      for changes in creation { try await store.save(changes) }
      #expect(try await world.snapshot() == before && author.isPersisted)
      try await store.delete(author)
      let after = try await world.snapshot()
      let deletion = [try undo.undo(), try undo.redo()]
      for changes in deletion { try await store.save(changes) }
      #expect(try await world.snapshot() == after && !author.isPersisted)
    }
  }
}

import ModelKit
import StoreProtocolTesting
import Testing

private struct Refusal: Error {}

extension UndoWorld {
  /// Makes an edit or deletion, or a transaction of some.
  ///
  /// - Parameter createsMembers: whether new models may be linked to stored ones. They keep these links when a
  ///   transaction fails.
  fileprivate func edit(_ random: inout SplitMix, createsMembers: Bool = true) async throws {
    let (authors, books, tags) = stored
    let author = authors.randomElement(using: &random), book = books.randomElement(using: &random)
    let tag = tags.randomElement(using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0: book?.title = "Title \(Int.random(in: 0..<9, using: &random))"
    case 1: book?.author = author
    case 2: book?.author = nil
    case 3: book?.tags = tags.shuffled(using: &random)
    case 4: author?.books = books.shuffled(using: &random).dropLast(Int.random(in: 0...3, using: &random))
    case 5: if createsMembers { try await addBook(of: author, tags: tag.map { [$0] } ?? []) }
    case 6: try await addAuthor()
    case 7: if let book { try await store.delete(book) }
    case 8: if let author { try await store.delete(author) }
    case 9: if let tag { try await store.delete(tag) }
    case 10: tag?.origin = book
    case 11: if let author { try await store.deleteAll(UndoBook.self, where: { $0.author == author }) }
    case 12: if let tag { try await store.deleteAll(UndoTag.self, where: { $0.word == tag.word }) }
    case 13: try await store.deleteAll(UndoAuthor.self, where: { $0.name == "Unknown" && $0.id > 2 })
    case 14: try await change(&random, createsMembers: createsMembers)
    default: try await fail(&random)
    }
    try await save()
  }

  /// Makes edits in one transaction.
  private func change(_ random: inout SplitMix, createsMembers: Bool) async throws {
    try await transaction {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        try await edit(&random, createsMembers: createsMembers)
      }
    }
  }

  /// Makes edits in a transaction that fails, and checks that nothing remains of them.
  private func fail(_ random: inout SplitMix) async throws {
    let (live, records) = (liveSnapshot, try await snapshot())
    do {
      try await transaction {
        for _ in 0..<Int.random(in: 1...3, using: &random) { try await edit(&random, createsMembers: false) }
        throw Refusal()
      }
    } catch is Refusal {}
    try #require(liveSnapshot == live)
    try #require(try await snapshot() == records)
  }
}

@Suite struct `Random histories of stores` {
  @Test(arguments: TestEffort.seeds(15))
  func `Each step of a history is undone and redone in a file store`(seed: UInt64) async throws {
    try await UndoStoreKind.file.run { store, makeReader in
      try await undoHistory(UndoWorld(store, makeReader), seed)
    }
  }

  // In the last two seeds, an undo brought back a model that its step had created and deleted.
  @Test(arguments: Array(TestEffort.seeds(60)) + [101_557, 109_375])
  func `Each step of a history with deletions is undone and redone in the store`(seed: UInt64) async throws {
    try await UndoStoreKind.memory.run { store, makeReader in
      try await undoHistory(UndoWorld(store, makeReader), seed)
    }
  }

  private func undoHistory(_ world: UndoWorld, _ seed: UInt64) async throws {
    var random = SplitMix(state: seed)
    let undo = ModelUndo(world.store.scope)
    let beginning = try await world.snapshot()
    var before: [String: [String]] = [:], after: [String: [String]] = [:]

    func undoStep() async throws {
      let changes = try undo.undo()
      try await world.store.save(changes)
      let label = try #require(changes.label)
      try #require(try await world.snapshot() == before[label], "seed \(seed), undo of step \(label)")
      try await world.save()
      try #require(try await world.snapshot() == before[label], "seed \(seed), save after undo of step \(label)")
    }
    func redoStep() async throws {
      let changes = try undo.redo()
      try await world.store.save(changes)
      let label = try #require(changes.label)
      try #require(try await world.snapshot() == after[label], "seed \(seed), redo of step \(label)")
      try await world.save()
      try #require(try await world.snapshot() == after[label], "seed \(seed), save after redo of step \(label)")
    }

    func failUndoing() async throws {
      let (live, records, state) = (world.liveSnapshot, try await world.snapshot(), undo.states.value)
      do {
        try await world.transaction {
          for _ in 0..<Int.random(in: 1...4, using: &random) {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: try await world.edit(&random, createsMembers: false)
            case 1: try await world.store.save(undo.redo())
            case 2: try undo.undo()
            default: try await world.store.save(undo.undo())
            }
          }
          throw Refusal()
        }
      } catch is Refusal {}
      try #require(world.liveSnapshot == live, "seed \(seed)")
      try #require(try await world.snapshot() == records, "seed \(seed)")
      try #require(undo.states.value == state, "seed \(seed)")
    }

    for step in 0..<Int.random(in: 1...12, using: &random) {
      before["\(step)"] = try await world.snapshot()
      undo.beginStep("\(step)")
      for _ in 0..<Int.random(in: 1...3, using: &random) { try await world.edit(&random) }
      undo.endStep()
      after["\(step)"] = try await world.snapshot()
      if Int.random(in: 0..<4, using: &random) == 0, undo.canUndo {
        try await undoStep()
        if Int.random(in: 0..<3, using: &random) == 0 { try await failUndoing() }
        if Bool.random(using: &random) { try await redoStep() }
      }
      if Int.random(in: 0..<4, using: &random) == 0 { try await failUndoing() }
    }
    while undo.canRedo { try await redoStep() }
    let end = try await world.snapshot()
    for _ in 0..<2 {
      while undo.canUndo { try await undoStep() }
      #expect(try await world.snapshot() == beginning, "seed \(seed)")
      while undo.canRedo { try await redoStep() }
      #expect(try await world.snapshot() == end, "seed \(seed)")
    }
  }
}

import ModelKit
import StoreProtocolTesting
import Testing

/// Operations that have to leave the same values as others: an undo as no edit, a draft as direct edits.
@Suite struct `Equivalent operations` {
  @Test(arguments: TestEffort.seeds(20))
  func `Reverted and refreshed models have their saved values`(seed: UInt64) async throws {
    try await run(seed) { world in
      try await world.save()
      let saved = world.lines
      for isReverted in [true, false] {
        for _ in 0...world.below(6) { world.edit() }
        if isReverted { world.revert() } else { try await world.refresh() }
        try await world.requireAll(saved, isReverted ? "revert" : "refresh")
        try world.require(world.dirtyKeys, [], "dirty")
      }
    }
  }

  @Test(arguments: TestEffort.seeds(20))
  func `A failed transaction leaves values, records and the history`(seed: UInt64) async throws {
    try await run(seed) { world in
      let undo = ModelUndo(world.store.scope)
      for _ in 0..<3 {
        for _ in 0..<world.below(3) { world.edit() }
        let state = undo.states.value
        try await world.fail()
        #expect(undo.states.value == state, "seed \(seed)")
      }
      try await world.save()
    }
  }

  @Test(arguments: TestEffort.seeds(20))
  func `Undone edits leave no change, and redone ones the same`(seed: UInt64) async throws {
    try await run(seed) { world in
      let undo = ModelUndo(world.store.scope)
      var states = [(world.lines, world.dirtyKeys)], isRecorded: [Bool] = []
      for _ in 0..<5 {
        let before = undo.canUndo ? undo.undoLabel : nil
        undo.step("\(states.count)") { for _ in 0...world.below(4) { world.edit() } }
        isRecorded.append(undo.undoLabel != before)
        states.append((world.lines, world.dirtyKeys))
        if !isRecorded[isRecorded.count - 1] {
          try world.require(world.lines, states[states.count - 2].0, "values of a step that is not recorded")
        }
      }
      for index in isRecorded.indices.reversed() where isRecorded[index] {
        world.note("undo")
        try undo.undo()
        try world.require(world.lines, states[index].0, "undo of step \(index + 1)")
        try world.require(world.dirtyKeys, states[index].1, "dirty after the undo of step \(index + 1)")
      }
      for index in isRecorded.indices where isRecorded[index] {
        world.note("redo")
        try undo.redo()
        try world.require(world.lines, states[index + 1].0, "redo of step \(index + 1)")
      }
      try await world.save()
    }
  }

  @Test(arguments: TestEffort.seeds(20))
  func `A draft that is applied makes the same changes as direct edits`(seed: UInt64) async throws {
    try await run(seed) { world in
      let undo = ModelUndo(world.store.scope)
      let before = world.lines, number = world.below(world.stored.count), node = world.stored[number]
      // A draft has one change for each field, however often it was set.
      var edits: [LinkedEdit] = []
      for _ in 0...world.below(6) {
        var edit = world.makeEdit()
        edit.number = number
        if !edits.contains(where: { $0.field == edit.field }) { edits.append(edit) }
      }
      let draft = node.draft()
      for edit in edits {
        world.note("draft: \(edit)")
        edit.apply(to: draft.model, edit.other == number ? draft.model : world.stored[edit.other])
      }
      try world.require(world.lines, before, "values beside a draft")
      try draft.apply()
      let applied = world.lines
      if undo.canUndo { try undo.undo() }
      try world.require(world.lines, before, "undo of a draft")
      for edit in edits { world.apply(edit) }
      try world.require(applied, world.lines, "draft")
      try await world.save()
    }
  }

  @Test(arguments: TestEffort.seeds(20))
  func `A deletion is undone, redone, and undone again`(seed: UInt64) async throws {
    try await run(seed) { world in try await world.repeatStep { try await world.delete() } }
  }

  @Test(arguments: TestEffort.seeds(20))
  func `A creation with links is undone and redone`(seed: UInt64) async throws {
    try await run(seed) { world in try await world.repeatStep { try await world.create() } }
  }

  @Test(arguments: TestEffort.seeds(20))
  func `Models that read their own JSON have the same values`(seed: UInt64) async throws {
    try await run(seed) { world in
      try await world.save()
      let saved = world.lines
      for node in world.stored {
        try node.read(node.jsonData())
        try node.read(node.jsonData(), as: .edit)
      }
      try await world.requireAll(saved, "own JSON")
      try world.require(world.dirtyKeys, [], "dirty")
    }
  }

  /// Runs a test in a memory store, and with every fourth seed in a file store, too.
  private func run(_ seed: UInt64, _ body: (LinkedWorld) async throws -> Void) async throws {
    for kind in seed.isMultiple(of: 4) ? UndoStoreKind.allCases : [.memory] {
      try await kind.run { store, makeReader in
        try await body(LinkedWorld(store, makeReader, seed: seed))
      }
    }
  }
}

extension LinkedWorld {
  /// Makes a step of a history, and undoes and redoes it in the store.
  fileprivate func repeatStep(_ step: () async throws -> Void) async throws {
    try await save()
    let before = lines, undo = ModelUndo(store.scope)
    undo.beginStep("Step")
    do {
      defer { undo.endStep() }
      try await step()
    }
    let after = lines
    try await requireAll(after, "step")
    for round in 0..<4 {
      let isUndo = round.isMultiple(of: 2)
      note(isUndo ? "undo" : "redo")
      try await store.save(isUndo ? undo.undo() : undo.redo())
      try await requireAll(isUndo ? before : after, isUndo ? "undo" : "redo")
      try require(dirtyKeys, [], "dirty")
    }
  }
}

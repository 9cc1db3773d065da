import ModelKit

extension EditingWorld {
  /// Undoes or redoes a step, and saves its changes, or not.
  func undoOrRedo(_ isUndo: Bool) async throws {
    guard isUndo ? !past.isEmpty : !future.isEmpty else { return }
    try await undoOrRedo(isUndo, saves: below(3) > 0)
  }

  func undoOrRedo(_ isUndo: Bool, saves: Bool) async throws {
    let wasSaved = live == stored
    note("\(isUndo ? "undo" : "redo") \((isUndo ? undo.undoLabel : undo.redoLabel) ?? "a step without label")")
    let changes = try isUndo ? undo.undo() : undo.redo()
    if isUndo {
      future.append(live)
      live = past.removeLast()
    } else {
      past.append(live)
      live = future.removeLast()
    }
    try check()
    if saves, try await save(changes) {
      // A new model that was never saved is none of the changes.
      var known = live
      known.rows = known.rows.filter { models[$0.key]?.identifier != nil }
      try require(
        !wasSaved || known == stored, "all was saved before, and not after:\n\(known.differences(from: stored))")
    }
  }

  /// Saves the changes of an undo or a redo.
  ///
  /// - Returns: whether it could be saved.
  private func save(_ changes: ModelUndo.Changes) async throws -> Bool {
    let (saved, deleted) = (Self.numbers(changes.modelsToSave), Self.numbers(changes.modelsToDelete))
    note("  save \(saved), delete \(deleted)")
    try require(!saved.contains(-1) && !deleted.contains(-1), "an embedded model is to be saved")
    // A step that is not saved leaves new models without records, to which others may refer.
    let references = saved.flatMap { live[$0]?.targets ?? [] }
    if references.contains(where: { stored[$0] == nil && !saved.contains($0) }) {
      note("  not saved: a referenced model is new")
      return false
    }
    if let refuser, !isInTransaction, below(4) == 0, !changes.isEmpty {
      note("  refused")
      refuser.refuseNextCommit()
      try await expectError(.full) { try await self.store.save(changes) }
      try check()
    }
    try await store.save(changes)
    for number in saved { stored[number] = live[number] }
    stored.remove(Set(deleted))
    return true
  }

  private static func numbers(_ models: [ModelObject]) -> [Int] {
    models.map { ($0 as? any Model).map(number) ?? -1 }
  }

  /// Undoes all steps, and redoes all, and compares the first and the last values.
  func undoAndRedoAll() async throws {
    let end = live, count = past.count
    for saves in [false, true] {
      while !past.isEmpty { try await undoOrRedo(true, saves: saves) }
      try check()
      while future.count > 0, past.count < count { try await undoOrRedo(false, saves: saves) }
      try require(live == end, "all is redone, but:\n\(live.differences(from: end))")
      try check()
      try await saveAll()
      try await checkRecords()
    }
  }
}

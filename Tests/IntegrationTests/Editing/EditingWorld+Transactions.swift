import ModelKit

/// The error of a transaction that fails.
private struct Cancellation: Error {}

extension EditingWorld {
  /// Runs a transaction of the store.
  func transaction(_ body: () async throws -> Void) async throws {
    func run<Store: TransactionalModelStore>(_ store: Store) async throws {
      try await store.transaction { _ in try await body() }
    }
    try await run(store)
  }

  /// Edits, saves and deletes in a transaction that is committed or fails.
  func transactionStep() async throws {
    // What a transaction writes of a step that was undone and not saved is not defined.
    if live.rows.keys != stored.rows.keys { try await saveAll() }
    let before = live, label = below(2) == 0 ? makeLabel() : nil
    var isCommitted = false
    if let label {
      try await step(label) { isCommitted = try await savepoint("\(label): transaction", depth: 0) }
    } else {
      isCommitted = try await savepoint("transaction", depth: 0)
    }
    if isCommitted { try record(from: before, label) }
  }

  /// Edits, saves and deletes in a transaction, or in one within another.
  ///
  /// - Returns: whether it was committed.
  private func savepoint(_ title: String, depth: Int) async throws -> Bool {
    let isFailing = below(2) == 0
    let (before, records, dirty) = (live, stored, dirtyFields)
    let (undone, redone) = (past, future)
    do {
      try await noting(title) {
        try await transaction {
          for _ in 0...below(4) { try await act(depth: depth, isFailing: isFailing) }
          if isFailing { throw Cancellation() }
        }
      }
      return true
    } catch is Cancellation {
      note("failed")
      (live, stored, past, future) = (before, records, undone, redone)
      try require(
        dirtyFields == dirty,
        "after the rollback more are dirty: \(dirtyFields.subtracting(dirty)), fewer: \(dirty.subtracting(dirtyFields))"
      )
      try checkModels()
      return false
    }
  }

  private func act(depth: Int, isFailing: Bool) async throws {
    switch below(10) {
    case 0...3: edit(createsModels: !isFailing && depth == 0)
    case 4...6: if let number = pick(live.numbers) { try await save(number, including: .related) }
    case 7: if let number = pickStored() { _ = try await delete(number) }
    case 8: if depth < 2 { _ = try await savepoint("savepoint", depth: depth + 1) }
    default: try await saveOne()
    }
  }
}

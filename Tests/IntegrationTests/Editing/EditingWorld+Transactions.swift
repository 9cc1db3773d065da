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
    // It is not defined which values of an undone and unsaved step a transaction writes.
    if live.rows.keys != stored.rows.keys { try await saveAll() }
    let before = live, label = below(2) == 0 ? makeLabel() : nil
    var isCommitted = false
    if let label {
      try await step(label) { isCommitted = try await savepoint("\(label): transaction", depth: 0) }
    } else {
      isCommitted = try await savepoint("transaction", depth: 0, undoes: true)
    }
    if isCommitted { try record(from: before, label) }
  }

  /// Edits, saves and deletes in a transaction, or in one within another.
  ///
  /// - Parameter undoes: whether no step is open, so that steps can be undone.
  /// - Returns: whether it was committed.
  private func savepoint(_ title: String, depth: Int, undoes: Bool = false) async throws -> Bool {
    let isFailing = below(2) == 0
    let (before, records, dirty, known) = (live, stored, dirtyFields, Set(models.keys))
    let (undone, redone, drafted) = (past, future, draft)
    do {
      try await noting(title) {
        try await transaction {
          isInTransaction = true
          defer { isInTransaction = depth > 0 }
          if isFailing, undoes, below(3) == 0 {
            for _ in 0...below(3) { try await undoOrRedo(below(3) > 0) }
          }
          for _ in 0...below(4) { try await act(depth: depth, isFailing: isFailing) }
          if isFailing { throw Cancellation() }
        }
      }
      return true
    } catch is Cancellation {
      note("failed")
      let made = live
      (live, stored, past, future, draft) = (before, records, undone, redone, drafted)
      try require(
        dirtyFields == dirty,
        "after the rollback more are dirty: \(dirtyFields.subtracting(dirty)), fewer: \(dirty.subtracting(dirtyFields))"
      )
      try release(made, except: known)
      if depth == 0 { try check() } else { try checkModels() }
      return false
    }
  }

  private func act(depth: Int, isFailing: Bool) async throws {
    switch below(11) {
    // New models in a savepoint would leave their links in the step of the transaction.
    case 0...3: edit(createsModels: depth == 0)
    case 4...6: if let number = pick(live.numbers) { try await save(number, including: .related) }
    case 7: if let number = pickStored() { _ = try await delete(number) }
    case 8: if depth < 2 { _ = try await savepoint("savepoint", depth: depth + 1) }
    case 9: try await applyDraft()
    default: try await saveOne()
    }
  }

  /// Compares new models of a transaction that failed with the values and links that they keep, and removes the links.
  private func release(_ made: EditedRecords, except known: Set<Int>) throws {
    let numbers = Set(models.keys).subtracting(known)
    for number in numbers.sorted() {
      // Whether a model that was deleted again keeps its links is not defined.
      guard let model = models[number], let row = made[number] else { continue }
      try require(!model.isPersisted, "\(number) is stored after the rollback")
      // A link to a model that the transaction had created again is not compared.
      let kept = numbers.union(live.numbers), found = Self.row(model)
      let keys = row.values.filter { found[$0] != $1 && kept.isSuperset(of: $1.targets) }.keys.sorted()
      try require(keys.isEmpty, "the new \(number).\(keys) after the rollback: \(found), not \(row)")
    }
    for number in numbers { unlink(number) }
    if !numbers.isEmpty { clearHistory() }
  }

  private func unlink(_ number: Int) {
    note("unlink the new \(number)")
    switch models.removeValue(forKey: number) {
    case let gallery as Gallery:
      gallery.parent = nil
      gallery.subjects = []
      gallery.children = []
      gallery.pictures = []
      gallery.permits = []
    case let picture as Picture:
      picture.gallery = nil
      picture.next = nil
    case let permit as Permit: permit.gallery = nil
    case let subject as Subject: subject.galleries.value = []
    default: break
    }
  }
}

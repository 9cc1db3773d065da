import ModelKit
import StoreProtocol

/// A store that refuses commits on demand.
protocol Refusing: AnyObject {
  /// Refuses the next commit.
  func refuseNextCommit()
  /// Accepts commits again.
  ///
  /// - Returns: whether a commit was refused.
  func accept() -> Bool
}

extension EditingWorld {
  // MARK: Saves

  /// Saves a model, alone or with new models that it references.
  func save(_ number: Int, including inclusion: SaveInclusion? = nil) async throws {
    guard let model = models[number] else { return }
    // A deleted model that an undo has made new again keeps its identifier: a link to it could be saved.
    if inclusion == nil, live[number]?.targets.contains(where: { isAwaitingCreation($0) && $0 != number }) == true {
      return
    }
    note("save \(name(number))\(inclusion == nil ? "" : " with related models")")
    if inclusion == nil, referencesNew(number) {
      try await expectError(.invalid) { try await self.store.save(model) }
      return
    }
    if let inclusion { try await store.save(model, including: inclusion) } else { try await store.save(model) }
    stored[number] = live[number]
    noteCreated()
  }

  /// Whether a record of the model would have a link to a model without a record.
  func referencesNew(_ number: Int) -> Bool {
    live[number]?.targets.contains { !isPersisted($0) && $0 != number } == true
  }

  private func isAwaitingCreation(_ number: Int) -> Bool {
    !isPersisted(number) && models[number]?.identifier != nil
  }

  /// Adds the records of models that a save has created.
  private func noteCreated() {
    for number in live.numbers where stored[number] == nil && isPersisted(number) { stored[number] = live[number] }
  }

  /// Saves one of the live models.
  func saveOne() async throws {
    guard let number = pick(live.numbers) else { return }
    try await save(number, including: below(2) == 0 ? .related : nil)
  }

  /// Writes all that differs from the records.
  func saveAll() async throws {
    try await noting("save all") {
      for number in stored.numbers where live[number] == nil { try await deleteUndone(number) }
      for number in live.numbers where stored[number] != live[number] || !dirtyKeys(number).isEmpty {
        try await save(number, including: .related)
      }
    }
    try require(live == stored, "not all is saved:\n\(live.differences(from: stored))")
    // Two new models can refer to each other: then one of them is saved twice.
    try require(dirtyFields.isEmpty, "dirty after all is saved: \(dirtyFields)")
  }

  /// Deletes the record of a model whose creation was undone.
  private func deleteUndone(_ number: Int) async throws {
    guard let model = models[number], stored[number] != nil else { return }
    note("delete \(number), whose creation was undone")
    try await store.delete(model)
    stored.remove([number])
  }

  /// Creates a model in the store, as one step of the history.
  func create() async throws {
    let before = live, label = makeLabel()
    guard let (number, model) = makeModel() else { return }
    note("\(label): create \(name(number))")
    try await step(label) { try await store.create(model) }
    stored[number] = live[number]
    try record(from: before, label)
  }

  // MARK: Deletions

  /// Deletes one of the stored models, with those that its rules delete.
  func delete() async throws {
    guard let number = pickStored() else { return }
    let before = live
    if try await delete(number) { try record(from: before, nil) }
  }

  /// Deletes a stored model.
  ///
  /// - Returns: whether no rule denied it.
  func delete(_ number: Int) async throws -> Bool {
    guard let model = models[number] else { return false }
    // It is not defined which unsaved links a rule follows.
    if !linksAgree(number) { try await saveAll() }
    guard live[number] != nil else { return false }
    let (numbers, isDenied) = live.removal(of: number)
    note("delete \(name(number))\(isDenied ? ": denied" : numbers.count > 1 ? " with \(numbers.sorted())" : "")")
    if isDenied {
      try await expectError(.denied) { try await self.store.delete(model) }
      return false
    }
    try await store.delete(model)
    live.remove(numbers)
    stored.remove(numbers)
    return true
  }

  /// Whether the records have the links in memory to the models that a deletion removes.
  private func linksAgree(_ number: Int) -> Bool {
    let numbers = live.removal(of: number).numbers.union(stored.removal(of: number).numbers)
    return numbers.allSatisfy { live.links(to: $0) == stored.links(to: $0) }
  }

  // MARK: Failures

  /// Saves a model with a value that a rule rejects.
  func saveInvalid() async throws {
    guard let number = pick(live.numbers), live[number]?.kind != .subject, !referencesNew(number) else { return }
    let before = live, label = makeLabel(), size = live[number]?.size ?? 0
    note("\(label): save \(name(number)) with the size -1, and set it back")
    try await step(label) {
      setSize(number, -1)
      live[number]?["size"] = .size(-1)
      try await expectError(.invalid) { if let model = models[number] { try await store.save(model) } }
      try checkModels()
      setSize(number, size)
      live[number]?["size"] = .size(size)
    }
    try record(from: before, label)
  }

  /// Saves, deletes, or begins a transaction in a store that refuses the commit.
  func writeRefused() async throws {
    guard let refuser, let number = pickStored(), let model = models[number] else { return }
    let dirty = dirtyFields
    let body: () async throws -> Void
    switch below(3) {
    case 0 where !dirtyKeys(number).isEmpty && !referencesNew(number):
      note("save \(name(number)), refused")
      body = { try await self.store.save(model) }
    case 1 where linksAgree(number) && !live.removal(of: number).isDenied:
      note("delete \(name(number)), refused")
      body = { try await self.store.delete(model) }
    default:
      let size = below(1_000)
      note("transaction with \(name(number)).size = \(size), refused")
      if referencesNew(number) || size == live[number]?.size { return }
      body = {
        try await self.transaction {
          self.setSize(number, size)
          try await self.store.save(model)
        }
      }
    }
    refuser.refuseNextCommit()
    try await expectError(.full, body)
    try require(dirtyFields == dirty, "dirty after a refused write: \(dirtyFields), before: \(dirty)")
  }

  /// Runs a closure that has to throw an error of the store.
  func expectError(_ code: ModelStoreError.Code, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as ModelStoreError where error.code == code {
      return
    }
    throw EditingFault(description: "the expected error \(code) was not thrown")
  }
}

import ModelKit

// Edits by another instance of the store, and by other tasks.
extension EditingWorld {
  /// Lets another store instance or another task write.
  func elsewhereStep() async throws {
    try await saveAll()
    switch below(4) {
    case 0, 1: try await editElsewhere()
    case 2: try await conflict()
    default: try await editBesideTransaction()
    }
  }

  /// Returns a live model as another store instance has it.
  private func model(_ number: Int, in other: any ModelStore) async throws -> any Model {
    let identifier = models[number]?.identifier ?? ""
    return switch live[number]?.kind {
    case .gallery: try await other.lookup(Gallery.self, identifier: identifier)
    case .picture: try await other.lookup(Picture.self, identifier: identifier)
    case .permit: try await other.lookup(Permit.self, identifier: identifier)
    default: try await other.lookup(Subject.self, identifier: identifier)
    }
  }

  // MARK: Another instance

  /// Edits models in another instance, and reads them here.
  private func editElsewhere() async throws {
    let before = live
    try await noting("another instance") {
      let other = makeStore()
      for _ in 0...below(3) { if let number = pick(live.numbers) { try await edit(number, in: other) } }
    }
    stored = live
    if below(2) == 0 {
      try await list()
    } else {
      note("refresh all")
      for number in live.numbers { if let model = models[number] { try await store.refresh(model) } }
    }
    try require(dirtyFields.isEmpty, "dirty after a read: \(dirtyFields)")
    try adoptRead(before)
  }

  private func edit(_ number: Int, in other: any ModelStore) async throws {
    guard var row = live[number] else { return }
    let model = try await model(number, in: other)
    switch model {
    case let gallery as Gallery where below(3) == 0: editSign(of: gallery, &row) { note("\(name(number)).\($0)") }
    case let gallery as Gallery where below(2) == 0: editPlaques(of: gallery, &row) { note("\(name(number)).\($0)") }
    case let gallery as Gallery where below(2) == 0:
      guard let target = pick(.subject) else { return }
      let subject = try await other.lookup(Subject.self, identifier: self.subject(target).identifier ?? "")
      note("\(name(number)) adds or removes \(name(target))")
      if row.subjects.contains(target) {
        gallery.$subjects.remove(subject)
        row.subjects.removeAll { $0 == target }
      } else {
        gallery.$subjects.add(subject)
        row.subjects.append(target)
      }
    case let picture as Picture where below(2) == 0:
      let target = below(3) == 0 ? nil : pick(.gallery)
      note("\(name(number)).gallery = \(target.map(name) ?? "none")")
      picture.gallery = nil
      if let target { picture.gallery = try await self.model(target, in: other) as? Gallery }
      row["gallery"] = .link(target)
    default:
      let size = below(1_000)
      note("\(name(number)).size = \(size)")
      Self.setSize(model, size)
      row["size"] = .size(size)
    }
    try await other.save(model)
    live[number] = row
  }

  /// Adds sizes that were read to the states of the expected history. Other values, and those of its steps, may be
  /// conflicts: then the history is cleared.
  private func adoptRead(_ before: EditedRecords) throws {
    let states = past + [before] + future
    // A step whose edits have cancelled each other has values of its own, too.
    if zip(states, states.dropFirst()).contains(where: { $0 == $1 }) { return clearHistory() }
    for (number, row) in live.rows {
      for (key, value) in row.values where before[number]?[key] != value {
        guard key == "size", Set(states.compactMap { $0[number]?[key] }).count == 1 else { return clearHistory() }
        for index in past.indices where past[index][number] != nil { past[index][number]?[key] = value }
        for index in future.indices where future[index][number] != nil { future[index][number]?[key] = value }
      }
    }
  }

  // MARK: Conflicts

  /// Saves a model that another instance has changed, alone or in a transaction.
  private func conflict() async throws {
    guard let number = pick(live.numbers), let model = models[number] else { return }
    let (mine, theirs) = (below(500), 500 + below(500))
    guard live[number]?.size != mine, live[number]?.size != theirs else { return }
    note("another instance sets \(name(number)).size = \(theirs), this one to \(mine)")
    let other = makeStore(), before = live
    let copy = try await self.model(number, in: other)
    func write() async throws {
      Self.setSize(copy, theirs)
      try await other.save(copy)
    }
    stored[number]?["size"] = .size(theirs)
    if below(2) == 0 {
      let writesInside = below(2) == 0
      note("transaction: conflict\(writesInside ? ", written inside" : "")")
      if !writesInside { try await write() }
      try await expectError(.conflict) {
        try await self.transaction {
          self.setSize(number, mine)
          try await self.store.save(model)
          if writesInside { try await write() }
        }
      }
      var after = before
      // Values that others wrote during the transaction are read.
      if writesInside { after[number]?["size"] = .size(theirs) }
      try checkValues(after)
      try await store.refresh(model)
    } else {
      try await write()
      setSize(number, mine)
      live[number]?["size"] = .size(mine)
      try await expectError(.conflict) { try await self.store.save(model) }
      try checkModels()
      if below(2) == 0 {
        note("refresh")
        try await store.refresh(model)
      } else {
        note("overwrite")
        try await store.save(model, onConflict: .overwrite)
        stored[number]?["size"] = .size(mine)
      }
    }
    live[number] = stored[number]
    clearHistory()
  }

  // MARK: Another task

  /// Edits and saves a model in another task while a transaction is open, which edits the same model or another one.
  private func editBesideTransaction() async throws {
    guard let number = pick(live.numbers), let model = models[number] else { return }
    guard let other = pick(live.numbers(.gallery)) else { return }
    let size = below(1_000), text = below(1_000), isFailing = below(2) == 0, saves = below(2) == 0
    let lists = below(3) == 0
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task { @MainActor in
      for await _ in begun { break }
      if lists { try await list() }
      note("another task: \(name(number)).size = \(size), save")
      setSize(number, size)
      try await store.save(model)
    }
    let before = live
    // A record that another writer changed meanwhile is not written.
    let isConflict = saves && number == other
    do {
      try await noting("transaction") {
        try await transaction {
          note("\(name(other)).plaques.add(\(text))\(saves ? ", save" : "")")
          gallery(other).$plaques.add(Plaque(PlaqueValue(text: text)))
          live[other]?.plaques.append(PlaqueValue(text: text))
          if saves { try await store.save(gallery(other)) }
          begin.finish()
          try await task.value
          live[number]?["size"] = .size(size)
          stored[number]?["size"] = .size(size)
          try checkValues(live)
          if isFailing { throw Cancelled() }
        }
      }
      try require(!isConflict || size == before[number]?.size, "no conflict with another task")
      if saves { stored[other] = live[other] }
    } catch is Cancelled {
      note("failed")
      live[other]?["plaques"] = before[other]?["plaques"]
    } catch let error as ModelStoreError where error.code == .conflict && isConflict {
      note("conflict")
      live[other]?["plaques"] = before[other]?["plaques"]
    }
    clearHistory()
  }

  private struct Cancelled: Error {}
}

@_spi(ModelKitInternals) import ModelCore

extension LiveObservation {
  /// Lists the query again.
  ///
  /// - Parameter written: the models that were written since the last result; nil if they are unknown.
  func requery(written: Set<ExactText>? = nil) async -> LiveResult<M>? {
    work.listings += 1
    wasListed = true
    let old = models
    let unloadCount = store.scope.unloadCount
    let unloaded = Set(hasUnloadedModels() ? models.filter(\.isUnloadedReference).map { ObjectIdentifier($0) } : [])
    do {
      if isIncremental {
        try await fill()
      } else {
        models = try await included.isEmpty ? store.list(query) : store.list(query, including: included)
        position = store.changeFeed.position
      }
    } catch {
      return failed(error)
    }
    mustList = false
    error = nil
    self.unloadCount = unloadCount
    var differences = ModelDifferences(from: old, to: models)
    let staying = Set(old.map { ObjectIdentifier($0) })
    for (index, model) in models.enumerated() where staying.contains(ObjectIdentifier(model)) {
      if let written, let identifier = model.identifier, !written.contains(ExactText(identifier)),
        !unloaded.contains(ObjectIdentifier(model))
      {
        continue
      }
      differences.updated.append(ModelDifferences.Change(model: model, index: index))
    }
    return LiveResult(models: models, differences: differences, error: nil)
  }

  /// Fills the table with the stored records.
  func fill() async throws {
    guard let program, let subscription else { return }
    let feed = store.changeFeed
    let reads = store.scope.pendingReads
    let readStart = reads.begin()
    defer { reads.end() }
    feed.setLoading(subscription.id, typeName, true)
    // The records below contain all writes up to now.
    feed.deliver()
    _ = subscription.mailbox.take()
    let start = feed.position
    relations.removeAll()
    fetched = []
    let sorter = program.isSorted ? try program.sorter() : nil
    let table = LiveTable<M>(sorter: sorter)
    // Models that are not shown are released at the end.
    var found: [[UInt8]] = []
    let plain = QueryRelatedRecords(nil)
    let read = try await store.readRecords(of: typeName) { records in
      for record in records {
        work.evaluations += 1
        do {
          if fields.related.isEmpty {
            let fits = try record.bytes.withUnsafeBytes { bytes in
              guard try program.matches(bytes, plain) else { return false }
              if let sorter { try program.add(bytes, to: sorter, plain) }
              return true
            }
            if !fits { continue }
          } else if try await !evaluate(record.identifier, record.bytes, program, sorter) {
            continue
          }
        } catch let error as ModelStoreError where error.code == .corrupt {
          try await store.skip(error, typeName, record.identifier)
          continue
        }
        table.append(record.identifier, record.order)
        found.append(record.bytes)
      }
    }
    table.sort()
    try await store.scope.creations.waitForCreations(of: typeName)
    var (identifiers, made): ([String], [M?])
    repeat {
      shown = table.places(query.window(of: table.count))
      identifiers = shown.map { table.identifiers[$0] }
      made = try await models(of: shown.map { found[$0] }, at: shown, table, readSince: readStart)
    } while made.contains { $0 == nil }
    models = made.compactMap(\.self)
    for (place, model) in zip(shown, models) { table.show(model, at: place, readAt: read ?? start) }
    // From now on changes of other records can be omitted.
    if let old = self.table {
      feed.changeMembers(subscription.id, typeName, adding: [], removing: old.shownIdentifiers)
    }
    if !showsAll { feed.changeMembers(subscription.id, typeName, adding: identifiers, removing: []) }
    feed.setLoading(subscription.id, typeName, false)
    self.table = table
    self.sorter = sorter
    position = read ?? 0
  }

  /// Returns whether the query matches a record, and adds its keys to the sorter if it does. Reads related records on
  /// demand.
  func evaluate(
    _ identifier: String, _ bytes: [UInt8], _ program: QueryProgram<M>, _ sorter: QuerySorter?
  ) async throws -> Bool {
    var used: [RelatedKey] = []
    while true {
      used.removeAll(keepingCapacity: true)
      let surroundings = QueryRelatedRecords { [self] modelClass, related in
        let key = RelatedKey(modelClass.typeName, related)
        used.append(key)
        guard let known = relations.records[key] else {
          throw MissingRelatedRecord(typeName: key.typeName, identifier: related)
        }
        return known
      }
      do {
        let fits = try bytes.withUnsafeBytes { bytes in
          guard try program.matches(bytes, surroundings) else { return false }
          if let sorter { try program.add(bytes, to: sorter, surroundings) }
          return true
        }
        if !fields.related.isEmpty { relations.setDependencies(of: identifier, used) }
        return fits
      } catch let missing as MissingRelatedRecord {
        work.lookups += 1
        let record = try await store.readRecord(of: missing.typeName, identifier: missing.identifier)
        relations.set(
          try record.flatMap { try JSONValue(json: $0.bytes).objectValue },
          at: RelatedKey(missing.typeName, missing.identifier))
      }
    }
  }

  /// Returns the models of records that were read before. Records of live models that were updated since are read
  /// again.
  ///
  /// - Returns: a model for each row, or nil for a record that was deleted, or skipped because it can't be read. It was
  ///   removed from the table.
  func models(
    of records: [[UInt8]], at places: [Int], _ table: LiveTable<M>, readSince start: PendingReads.Moment
  ) async throws -> [M?] {
    let reads = store.scope.pendingReads
    var answer = reads.answer(since: start)
    let identifiers = places.map { table.identifiers[$0] }
    let current = try await store.currentRecords(
      M.self, zip(identifiers, records).map { (identifier: $0, bytes: $1) }, readSince: start,
      answeredAt: &answer
    ) { try await store.readRecord(of: typeName, identifier: $0)?.bytes }
    var models: [M?] = zip(identifiers, current).map { identifier, bytes in
      // Its deletion by another store instance is in the feed.
      bytes == nil ? store.scope.liveModel(M.self, identifier: identifier) : nil
    }
    for (number, bytes) in current.enumerated() where bytes == nil && models[number] == nil {
      table.remove(places[number])
    }
    let numbers = current.indices.filter { current[$0] != nil }
    if numbers.isEmpty { return models }
    let made = try store.readableModels(M.self, fromBytes: numbers.compactMap { current[$0] }) {
      identifiers[numbers[$0]]
    }
    for (number, model) in zip(numbers, made.models) { models[number] = model }
    reads.noteRead(of: made.models.lazy.compactMap(\.self), at: answer)
    for (number, error) in made.unreadable {
      let place = places[numbers[number]]
      try await store.skip(error, typeName, table.identifiers[place])
      table.remove(place)
    }
    return models
  }
}

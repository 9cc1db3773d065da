@_spi(ModelKitInternals) import ModelCore

extension LiveObservation {
  /// The outcome of the changes of one record in the taken batches.
  private struct Pending {
    /// The current record; nil if it was deleted.
    var bytes: [UInt8]?
    /// Whether a field that the query reads was written.
    var concernsQuery = false
    /// Whether the record itself was written, and not only a record that it references.
    var isWritten = false
    /// Whether it was removed by one of the changes.
    var wasRemoved = false
    /// Whether it exists, and the change did not contain it.
    var isUnknown = false
  }

  /// Applies changes that are newer than the result.
  ///
  /// - Returns: the differences of the result; nil if there are none.
  func take(
    _ changes: some Sequence<RoutedChange>, into table: LiveTable<M>
  ) async throws -> ModelDifferences<M>? {
    guard let program else { return nil }
    table.beginChanges()
    // At once, before any suspension: later writes of this store instance must not be undone by earlier ones.
    // Shown models only: the feed omits some changes of other records, and earlier values must not be applied again.
    let followed = try instances.follow(
      changes.lazy.filter { routed in
        routed.change.typeName == self.typeName
          && table.isShown(routed.change.identifier, asBefore: routed.position)
      })
    var (pending, order) = gather(changes)
    for (identifier, error) in followed.unreadable {
      try await store.skip(error, typeName, identifier)
      pending[ExactText(identifier)] = nil
      if let place = table.place(of: identifier) { table.remove(place) }
    }
    try await addDependents(changes, &pending, &order)
    var updated: Set<Int> = []
    for identifier in order {
      guard var entry = pending[ExactText(identifier)] else { continue }
      if entry.isUnknown {
        work.lookups += 1
        entry.bytes = try await store.readRecord(of: typeName, identifier: identifier)?.bytes
      }
      let known = table.place(of: identifier)
      guard let bytes = entry.bytes else {
        if let known { table.remove(known) }
        relations.setDependencies(of: identifier, [])
        continue
      }
      if let known, !entry.wasRemoved {
        if entry.concernsQuery {
          work.evaluations += 1
          guard try await isFound(identifier, bytes, program) else {
            table.remove(known)
            continue
          }
          if sorter != nil { table.takeKeys(known) }
        }
        guard let model = table.models[known] else { continue }
        if store.scope.liveModel(M.self, identifier: identifier) !== model {
          // Deleted and created again, perhaps with the same values: the record has another object now.
          table.dropModel(known)
        } else if entry.isWritten {
          updated.insert(known)
        }
      } else {
        if let known { table.remove(known) }
        guard entry.concernsQuery else { continue }
        work.evaluations += 1
        guard try await isFound(identifier, bytes, program) else { continue }
        // Only the store knows the order of its creation.
        let order = try await store.readRecord(of: typeName, identifier: identifier)?.order
        work.lookups += 1
        table.insert(identifier, order ?? 0)
        // A deleted record is reported by the next batch.
        if order == nil, let place = table.place(of: identifier) { table.remove(place) }
      }
    }
    dropUnloadedModels(of: table)
    return try await show(table, updated)
  }

  /// Discards the shown models that were unloaded since they were read, so that their records are read again.
  private func dropUnloadedModels(of table: LiveTable<M>) {
    guard hasUnloadedModels() else { return }
    unloadCount = store.scope.unloadCount
    for place in shown where table.models[place]?.isUnloadedReference == true {
      if table.place(of: table.identifiers[place]) == place { table.dropModel(place) }
    }
  }

  /// Returns whether the query matches a written record: see ``evaluate(_:_:_:_:)``. A record that can't be read and is
  /// skipped does not match.
  private func isFound(_ identifier: String, _ bytes: [UInt8], _ program: QueryProgram<M>) async throws -> Bool {
    do {
      return try await evaluate(identifier, bytes, program, sorter)
    } catch let error as ModelStoreError where error.code == .corrupt {
      try await store.skip(error, typeName, identifier)
      return false
    }
  }

  /// Returns the outcome for each record, in the order in which they were first written.
  private func gather(
    _ changes: some Sequence<RoutedChange>
  ) -> (pending: [ExactText: Pending], order: [String]) {
    var pending: [ExactText: Pending] = [:]
    var order: [String] = []
    for routed in changes where routed.change.typeName == typeName && !isKnown(routed) {
      let change = routed.change
      let key = ExactText(change.identifier)
      var entry = pending[key] ?? Pending()
      if pending[key] == nil { order.append(change.identifier) }
      entry.bytes = change.after
      entry.isUnknown = change.after == nil && change.kind != .deleted
      switch change.kind {
      case .created:
        (entry.isWritten, entry.concernsQuery) = (true, true)
      case .updated:
        if routed.keys?.isEmpty != true { entry.isWritten = true }
        if choosesClasses || routed.keys?.contains(where: fields.own.contains) ?? true { entry.concernsQuery = true }
      case .deleted: entry.wasRemoved = true
      }
      pending[key] = entry
    }
    return (pending, order)
  }

  /// Adds the records that reference written ones.
  private func addDependents(
    _ changes: some Sequence<RoutedChange>, _ pending: inout [ExactText: Pending], _ order: inout [String]
  ) async throws {
    guard !fields.related.isEmpty else { return }
    var concerned: Set<ExactText> = []
    for routed in changes where fields.related[routed.change.typeName] != nil {
      let change = routed.change
      let key = RelatedKey(change.typeName, change.identifier)
      let dependents = relations.dependents(on: key)
      guard !dependents.isEmpty else { continue }
      if change.after == nil, change.kind != .deleted {
        relations.remove(key)
      } else {
        relations.set(try change.after.flatMap { try JSONValue(json: $0).objectValue }, at: key)
      }
      if change.kind == .updated, let keys = routed.keys,
        fields.related[change.typeName]?.isDisjoint(with: keys) == true
      {
        continue
      }
      concerned.formUnion(dependents)
    }
    for key in concerned.sorted(by: { ScalarOrder.order($0.text, $1.text) < 0 }) {
      if pending[key] != nil {
        pending[key]?.concernsQuery = true
        continue
      }
      work.lookups += 1
      // A deleted record is reported by the next batch.
      guard let record = try await store.readRecord(of: typeName, identifier: key.text) else { continue }
      pending[key] = Pending(bytes: record.bytes, concernsQuery: true)
      order.append(key.text)
    }
  }

  // MARK: Showing

  /// Updates the shown models from the table.
  private func show(_ table: LiveTable<M>, _ updated: Set<Int>) async throws -> ModelDifferences<M>? {
    while true {
      let window = query.window(of: table.count)
      let head = min(max(table.sameHead - query.offset, 0), shown.count, window.count)
      let tail = min(sameTail(table, window), shown.count - head, window.count - head)
      let middle = table.places(window.lowerBound + head..<window.upperBound - tail)
      guard try await fetch(middle.filter { table.models[$0] == nil }, table) else { continue }
      return replace(head: head, tail: tail, with: middle, table, window, updated)
    }
  }

  /// Returns the number of unchanged rows at the end of the window.
  private func sameTail(_ table: LiveTable<M>, _ window: Range<Int>) -> Int {
    let tail = min(table.sameTail, table.count)
    if window.upperBound == table.count, query.limit == nil { return tail }
    // With a limit, the last rows are unchanged only if no row crossed the limit.
    if window.count == shown.count, table.sameCount { return max(0, window.upperBound - (table.count - tail)) }
    return 0
  }

  /// Creates the models that enter the result.
  ///
  /// - Returns: false if one of them was deleted, so that the window changes.
  private func fetch(_ places: [Int], _ table: LiveTable<M>) async throws -> Bool {
    if places.isEmpty { return true }
    let identifiers = places.map { table.identifiers[$0] }
    // First, so that all writes from here on are reported.
    changeMembers(adding: identifiers, removing: [])
    let position = store.changeFeed.position
    let reads = store.scope.pendingReads
    let start = reads.begin()
    defer { reads.end() }
    var records: [[UInt8]] = []
    for (place, identifier) in zip(places, identifiers) {
      work.lookups += 1
      guard let record = try await store.readRecord(of: typeName, identifier: identifier) else {
        changeMembers(adding: [], removing: identifiers)
        table.remove(place)
        return false
      }
      records.append(record.bytes)
    }
    try await store.scope.creations.waitForCreations(of: typeName)
    let made = try await models(of: records, at: places, table, readSince: start)
    guard made.allSatisfy({ $0 != nil }) else {
      changeMembers(adding: [], removing: identifiers)
      return false
    }
    for (place, model) in zip(places, made) { table.show(model, at: place, readAt: position) }
    fetched.formUnion(places)
    return true
  }

  private func replace(
    head: Int, tail: Int, with middle: [Int], _ table: LiveTable<M>, _ window: Range<Int>, _ updated: Set<Int>
  ) -> ModelDifferences<M>? {
    let oldRange = head..<shown.count - tail
    let oldPlaces = shown[oldRange]
    // A record that was created again may have the object of the deleted one, with other values.
    let before = fetched.isEmpty ? [] : Set(models[oldRange].map { ObjectIdentifier($0) })
    var differences: ModelDifferences<M>
    if fetched.isEmpty, let move = Self.soleMove(from: oldPlaces, to: middle) {
      // The result of a changed sort field: no record was added or removed, and nothing needs to be compared.
      let model = models[head + move.old]
      models.moveElement(from: head + move.old, to: head + move.new)
      differences = ModelDifferences()
      differences.moved = [.init(model: model, oldIndex: head + move.old, newIndex: head + move.new)]
    } else {
      let new = middle.compactMap { table.models[$0] }
      differences = ModelDifferences(from: Array(models[oldRange]), to: new, at: head)
      removeRows(oldPlaces, except: Set(middle), table)
      models.replaceSubrange(oldRange, with: new)
    }
    shown.replaceSubrange(oldRange, with: middle)
    for place in updated.union(fetched) {
      guard let model = table.models[place], !fetched.contains(place) || before.contains(ObjectIdentifier(model)) else {
        continue
      }
      let index = table.rank(of: place) - window.lowerBound
      differences.updated.append(ModelDifferences.Change(model: models[index], index: index))
    }
    differences.updated.sort { $0.index < $1.index }
    fetched = []
    return differences.isEmpty ? nil : differences
  }

  /// Releases the models that are no longer shown.
  private func removeRows(_ places: ArraySlice<Int>, except staying: Set<Int>, _ table: LiveTable<M>) {
    var gone: [String] = []
    for place in places where !staying.contains(place) {
      table.show(nil, at: place)
      let identifier = table.identifiers[place]
      if table.place(of: identifier).map({ !staying.contains($0) }) ?? true { gone.append(identifier) }
    }
    changeMembers(adding: [], removing: gone)
  }

  /// Returns the element that moved from one end to the other, if all others kept their order; otherwise nil.
  private static func soleMove(from old: ArraySlice<Int>, to new: [Int]) -> (old: Int, new: Int)? {
    guard old.count > 1, old.count == new.count else { return nil }
    let last = new.count - 1
    if old.first == new.last, old.dropFirst().elementsEqual(new.dropLast()) { return (0, last) }
    if old.last == new.first, old.dropLast().elementsEqual(new.dropFirst()) { return (last, 0) }
    return nil
  }
}

extension Array {
  /// Moves an element, and shifts the elements between its positions. A uniquely referenced array is not copied.
  fileprivate mutating func moveElement(from old: Int, to new: Int) {
    withUnsafeMutableBufferPointer { elements in
      guard let first = elements.baseAddress else { return }
      let element = (first + old).move()
      if old < new {
        (first + old).moveInitialize(from: first + old + 1, count: new - old)
      } else {
        (first + new + 1).moveInitialize(from: first + new, count: old - new)
      }
      (first + new).initialize(to: element)
    }
  }
}

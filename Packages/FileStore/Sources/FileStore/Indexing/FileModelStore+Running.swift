@_spi(ModelKitInternals) import StoreProtocol

extension FileModelStore {
  /// About how many records are read together.
  private static let sliceSize = 1_024
  /// How many records are read one after the other in the time that it takes to read one somewhere else in the files.
  static var scatteredCost: Int { 6 }

  /// The records that a query finds, in its order, how they were found, and how many were looked at.
  func run<M: Model>(
    _ query: ModelQuery<M>
  ) async throws -> (records: [FoundRecord], plan: QueryPlan, lookedAt: Int) {
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true)
    // Most queries read the records of one selection, which is of one moment.
    let position = transaction?.watch.position
    do {
      return try await run(program, at: nil, after: position).plain
    } catch is MomentIsNeeded {
    } catch is RecordsWereMoved {
    }
    return try await atOneMoment { try await run(program, at: $0, after: position).plain }
  }

  /// - Parameter position: The position of the watch of the transaction under way, before the moment.
  func run<M: Model>(
    _ program: QueryProgram<M>, at moment: JournalContents?, after position: UInt64?, page: FilePage? = nil
  ) async throws -> FoundRecords<M> {
    let (engine, name) = (handle.engine, M.typeName)
    let memory = QueryMemory(at: moment, after: position, page)
    try transaction?.noteQuery(name, at: position)
    let fields = try await translating { try await engine.indexedFields(name, at: moment) }
    let planner = QueryPlanner(program, fields: fields, scatteredCost: Self.scatteredCost)
    if let transaction, transaction.touches(name) {
      return try await run(program, planner, fields, in: transaction, memory)
    }
    return try await run(program, planner, memory) { $0 }
  }

  /// - Parameter chosen: gives those of some selected records that are looked at.
  private func run<M: Model>(
    _ program: QueryProgram<M>, _ planner: QueryPlanner, _ memory: QueryMemory,
    choosing chosen: ([SelectedRecord]) -> [SelectedRecord]
  ) async throws -> FoundRecords<M> {
    let (engine, name, query) = (handle.engine, M.typeName, program.query)
    // An order is followed as far as it takes to have enough; how far that is, is known only afterwards.
    var orderedLimit = max(128, query.limit ?? .max)
    var planner = planner
    while true {
      let (limit, current) = (orderedLimit, planner)
      let selected = try await translating {
        try await engine.select(
          name, current, orderedLimit: limit, offset: query.offset, after: memory.page?.start, at: memory.moment)
      }
      guard let records = selected.records else { return try await runThroughAll(program, selected.plan, memory) }
      switch try await run(program, selected, chosen(records), memory) {
      case .found(let found): return found
      case .needsMore: orderedLimit = orderedLimit.multipliedReportingOverflow(by: 8).overflow ? .max : orderedLimit * 8
      case .takesTooLong: planner = planner.withoutOrder
      }
    }
  }

  /// Looks at the records that a query may find inside a transaction that wrote some of their type: those that indexes lead
  /// to, as far as it left them alone, and those that it wrote and its own keys lead to, since indexes don't know them yet.
  private func run<M: Model>(
    _ program: QueryProgram<M>, _ planner: QueryPlanner, _ fields: [StoredKeyPath], in transaction: FileTransaction,
    _ memory: QueryMemory
  ) async throws -> FoundRecords<M> {
    let (engine, name, query) = (handle.engine, M.typeName, program.query)
    guard planner.canUseIndexes || planner.canFollowOrder else {
      let plan = QueryPlan.all(try await translating { try await engine.count(name) })
      return try await runThroughAll(program, plan, memory)
    }
    // Where the records are that the transaction changed is of the same moment.
    guard let moment = memory.moment else { throw MomentIsNeeded() }
    var (planner, candidates) = (planner, [Candidate]())
    var selected = try await translating { [planner] in
      try await engine.select(name, planner, orderedLimit: 0, after: memory.page?.start, at: moment)
    }
    if selected.plan.isSortedByIndex {
      // The first ones that it left alone, and all that it wrote: the first ones of all are among them.
      var first = query
      (first.limit, first.offset) = (query.end == .max ? nil : query.end, 0)
      let found = try await run(
        QueryProgram(first, in: scope.transformers, canJoin: true), planner, memory
      ) { $0.filter { transaction.entry(name, $0.identifier) == nil } }
      candidates = found.sorted().map { Candidate($0.record, ordinal: UInt64($0.order)) }
      planner = planner.withoutOrder
      selected = SelectedRecords(plan: found.plan, records: [], goesOn: false)
    }
    guard let found = selected.records else { return try await runThroughAll(program, selected.plan, memory) }
    candidates += found.map(Candidate.init)
    // Both as of one moment: what a task of the transaction writes while the files are read must not be in neither.
    candidates.removeAll { transaction.entry(name, $0.identifier) != nil }
    let written = transaction.records(name, for: planner.withoutOrder, fields)
    let changed = written.filter { !$0.isNew }
    let ordinals =
      changed.isEmpty
      ? [] : try await translating { try await engine.ordinals(name, of: changed.map(\.identifier), at: moment) }
    candidates += zip(changed, ordinals).map { Candidate($0, ordinal: $1 ?? FileTransaction.firstNewOrdinal) }
    candidates.sort { $0.ordinal < $1.ordinal }
    candidates += written.filter(\.isNew).map {
      Candidate($0, ordinal: FileTransaction.firstNewOrdinal + UInt64($0.order))
    }
    return try await run(program, selected.plan.testing(candidates.count), candidates, memory)
  }

  /// Looks at records that indexes and keys of the transaction under way lead to.
  private func run<M: Model>(
    _ program: QueryProgram<M>, _ plan: QueryPlan, _ candidates: [Candidate], _ memory: QueryMemory
  ) async throws -> FoundRecords<M> {
    var found = FoundRecords(try makeRun(program, nil, memory), plan)
    var start = 0
    while start < candidates.count, !found.run.isFinished {
      let slice = candidates[start..<min(start + Self.sliceSize, candidates.count)]
      let stored = slice.compactMap(\.stored)
      var values =
        stored.isEmpty ? [] : try await values(of: stored[...], type: M.typeName, at: memory.moment)[...]
      for candidate in slice where !found.run.isFinished {
        guard let value = candidate.written ?? (values.popFirst() ?? nil) else { continue }
        try await take((candidate.identifier, value), candidate.ordinal, &found, memory)
      }
      start += slice.count
    }
    return found
  }

  private func makeRun<M: Model>(
    _ program: QueryProgram<M>, _ plan: QueryPlan?, _ memory: QueryMemory, skipping skippedCount: Int = 0
  ) throws -> QueryRun<M> {
    try QueryRun(
      program, plan, after: memory.page?.start, skippedCount: skippedCount,
      related: { try memory.record(of: $0, $1) }, joined: { try memory.records(of: $0, where: $1) })
  }

  /// Looks at records that indexes lead to.
  private func run<M: Model>(
    _ program: QueryProgram<M>, _ selected: SelectedRecords, _ records: [SelectedRecord], _ memory: QueryMemory
  ) async throws -> LookedAt<M> {
    let plan = selected.plan
    let run = try makeRun(program, plan, memory, skipping: selected.skippedCount)
    var found = FoundRecords(run, plan)
    var isEnough = run.isFinished
    var start = 0
    // What is enough is mostly found soon.
    var size = plan.isSortedByIndex ? 64 : Self.sliceSize
    while start < records.count, !isEnough {
      if run.isOrderTooLong(after: start) { return .takesTooLong }
      let slice = records[start..<min(start + size, records.count)]
      let values = try await values(of: slice, type: M.typeName, at: memory.moment)
      for (record, value) in zip(slice, values) {
        guard let value else { continue }
        if plan.isSortedByIndex, record.isNewKey, run.isFinishedBeforeNewKey { isEnough = true }
        if isEnough { break }
        try await take((record.identifier, value), record.ordinal, &found, memory)
        isEnough = run.isFinished
      }
      start += slice.count
      size = plan.isSortedByIndex ? min(size * 2, Self.sliceSize) : Self.sliceSize
    }
    return !isEnough && selected.goesOn ? .needsMore : .found(found)
  }

  /// Looks at all records of a type, those of the transaction under way included.
  private func runThroughAll<M: Model>(
    _ program: QueryProgram<M>, _ plan: QueryPlan, _ memory: QueryMemory
  ) async throws -> FoundRecords<M> {
    guard let moment = memory.moment else { throw MomentIsNeeded() }
    let (name, query) = (M.typeName, program.query)
    var (start, skippedCount) = (CreationCursor.start, 0)
    if !program.isSorted, let position = memory.page?.start {
      start.ordinal = position.order >= Int(FileTransaction.firstNewOrdinal) ? .max : UInt64(position.order)
    } else if program.isAboutAll, transaction?.touches(name) != true {
      skippedCount = query.offset
      start.ordinal = moment.ordinal(ofLast: skippedCount, of: name)
    }
    let chunkSize = program.isAboutAll ? min(max(query.limit ?? .max, 1), 1_000) : 1_000
    var found = FoundRecords(try makeRun(program, nil, memory, skipping: skippedCount), plan)
    var cursor: CreationCursor? = start
    while let position = cursor, !found.run.isFinished {
      let chunk = try await translating {
        try await handle.engine.readChunk(name, after: position, limit: chunkSize, at: moment)
      }
      try skipDamage(in: chunk, of: name)
      for row in chunk.rows where !found.run.isFinished {
        if let entry = transaction?.entry(name, row.identifier) {
          // What it was before the transaction does not count; what came with it comes last.
          if entry.revision != nil, let content = entry.content {
            try await take((row.identifier, content), row.ordinal, &found, memory)
          }
        } else {
          try await take((row.identifier, Array(chunk.value(row))), row.ordinal, &found, memory)
        }
      }
      cursor = chunk.next
    }
    for record in transaction?.newRecords(name) ?? [] where !found.run.isFinished {
      let ordinal = FileTransaction.firstNewOrdinal + UInt64(record.order)
      try await take((record.identifier, record.bytes), ordinal, &found, memory)
    }
    return found
  }

  /// Looks at one record, and asks for those of others that it takes.
  private func take<M: Model>(
    _ record: FoundRecord, _ ordinal: UInt64, _ found: inout FoundRecords<M>, _ memory: QueryMemory
  ) async throws {
    while true {
      do {
        return try found.take(record, at: Int(ordinal))
      } catch let missing as RelatedRecordIsMissing {
        guard let moment = memory.moment else { throw MomentIsNeeded() }
        if let join = memory.missingJoin {
          memory.missingJoin = nil
          let key = QueryMemory.Join(relatedClass: ObjectIdentifier(join.relatedClass), condition: join.condition)
          memory.joined[key] = try await records(
            of: join.relatedClass, where: join.condition, at: moment, after: memory.position)
        } else {
          try transaction?.noteRead(missing.typeName, missing.identifier, at: memory.position)
          memory.related[missing.typeName, default: [:]][ExactText(missing.identifier)] = .some(
            try await readableRow(missing.typeName, missing.identifier, at: moment))
        }
      } catch let error as ModelStoreError where error.code == .corrupt {
        return try await skip(error, M.typeName, record.identifier)
      }
    }
  }

  private func records(
    of modelClass: ModelObject.Type, where condition: QueryExpression, at moment: JournalContents,
    after position: UInt64?
  ) async throws -> [[UInt8]] {
    guard let modelClass = modelClass as? any (ModelObject & ModelIsolation).Type else { return [] }
    return try await records(modelClass, where: condition, at: moment, after: position)
  }

  private func records<M: Model>(
    _ type: M.Type, where condition: QueryExpression, at moment: JournalContents, after position: UInt64?
  ) async throws -> [[UInt8]] {
    var query = ModelQuery(type)
    query.filter = condition
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true)
    return try await run(program, at: moment, after: position).plain.records.map(\.value)
  }
}

@_spi(ModelKitInternals) import StoreProtocol

/// A record that a query found.
typealias FoundRecord = (identifier: String, value: [UInt8])

/// What a query has asked of other records so far. These can't be waited for while a record is being looked at: so what is
/// missing is noted, asked for, and the record is looked at again.
private final class QueryMemory {
  struct Join: Hashable {
    let relatedClass: ObjectIdentifier
    let condition: QueryExpression
  }

  var related: [String: [ExactText: [UInt8]?]] = [:]
  var joined: [Join: [[UInt8]]] = [:]
  var missingJoin: (relatedClass: ModelObject.Type, condition: QueryExpression)?

  /// The moment of which all records are; nil as long as those of one selection are enough.
  let moment: JournalContents?
  /// The position of the watch of the transaction under way, before the moment.
  let position: UInt64?

  init(at moment: JournalContents?, after position: UInt64?) {
    self.moment = moment
    self.position = position
  }

  func record(of modelClass: ModelObject.Type, _ identifier: String) throws -> [UInt8]? {
    guard let known = related[modelClass.typeName]?[ExactText(identifier)] else {
      throw RelatedRecordIsMissing(typeName: modelClass.typeName, identifier: identifier)
    }
    return known
  }

  func records(of relatedClass: ModelObject.Type, where condition: QueryExpression) throws -> [[UInt8]] {
    if let known = joined[Join(relatedClass: ObjectIdentifier(relatedClass), condition: condition)] { return known }
    missingJoin = (relatedClass, condition)
    throw RelatedRecordIsMissing(typeName: relatedClass.typeName, identifier: "")
  }
}

/// A record that a query has to look at inside a transaction.
private struct Candidate {
  let identifier: String
  let ordinal: UInt64
  /// Where it is in the files; nil if the transaction wrote it.
  let stored: SelectedRecord?
  /// What the transaction wrote.
  let written: [UInt8]?

  init(_ record: SelectedRecord) {
    (identifier, ordinal, stored, written) = (record.identifier, record.ordinal, record, nil)
  }

  init(_ record: FileTransaction.WrittenRecord, ordinal: UInt64) {
    (identifier, self.ordinal, stored, written) = (record.identifier, ordinal, nil, record.bytes)
  }
}

extension FileModelStore {
  /// About how many records are read together.
  private static let sliceSize = 1_024

  /// The records that a query finds, in its order, how they were found, and how many were looked at.
  func run<M: Model>(
    _ query: ModelQuery<M>
  ) async throws -> (records: [FoundRecord], plan: QueryPlan, lookedAt: Int) {
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true)
    // Most queries read the records of one selection, which is of one moment.
    let position = transaction?.watch.position
    do {
      return try await run(query, program, at: nil, after: position)
    } catch is MomentIsNeeded {} catch is RecordsWereMoved {}
    return try await atOneMoment { try await run(query, program, at: $0, after: position) }
  }

  private func run<M: Model>(
    _ query: ModelQuery<M>, _ program: QueryProgram<M>, at moment: JournalContents?, after position: UInt64?
  ) async throws -> (records: [FoundRecord], plan: QueryPlan, lookedAt: Int) {
    let (engine, name) = (handle.engine, M.typeName)
    let memory = QueryMemory(at: moment, after: position)
    try transaction?.noteQuery(name, at: position)
    if let transaction, transaction.touches(name) { return try await run(query, program, in: transaction, memory) }
    let fields = try await translating { try await engine.indexedFields(name, at: moment) }
    let planner = QueryPlanner(program, fields: fields)
    // An order is followed as far as it takes to have enough; how far that is, is known only afterwards.
    var orderedLimit = max(128, query.limit.map { $0.addingReportingOverflow(query.offset).partialValue } ?? .max)
    while true {
      let limit = orderedLimit
      let selected = try await translating {
        try await engine.select(name, planner, orderedLimit: limit, at: moment)
      }
      guard let records = selected.records else { return try await runThroughAll(program, selected.plan, memory) }
      if let found = try await run(program, selected, records, memory) { return found }
      orderedLimit = orderedLimit.multipliedReportingOverflow(by: 8).overflow ? .max : orderedLimit * 8
    }
  }

  /// Looks at the records that a query may find inside a transaction that wrote some of their type: those that indexes lead
  /// to, as far as it left them alone, and those that it wrote and its own keys lead to, since indexes don't know them yet.
  private func run<M: Model>(
    _ query: ModelQuery<M>, _ program: QueryProgram<M>, in transaction: FileTransaction, _ memory: QueryMemory
  ) async throws -> (records: [FoundRecord], plan: QueryPlan, lookedAt: Int) {
    let (engine, name) = (handle.engine, M.typeName)
    let fields = try await translating { try await engine.indexedFields(name, at: memory.moment) }
    // What was written may come anywhere in the order, so that nothing is enough before all is looked at.
    var unordered = ModelQuery(M.self)
    unordered.filter = query.filter
    let planner = QueryPlanner(unordered, fields: fields)
    if planner.canUseIndexes {
      // Where the records are that the transaction changed is of the same moment.
      guard let moment = memory.moment else { throw MomentIsNeeded() }
      let selected = try await translating {
        try await engine.select(name, planner, orderedLimit: .max, at: moment)
      }
      guard let found = selected.records else { return try await runThroughAll(program, selected.plan, memory) }
      // Both as of one moment: what a task of the transaction writes while the files are read must not be in neither.
      let written = transaction.records(name, for: planner, fields)
      var candidates = found.compactMap { record in
        transaction.entry(name, record.identifier) == nil ? Candidate(record) : nil
      }
      let changed = written.filter { !$0.isNew }
      let ordinals =
        changed.isEmpty
        ? [] : try await translating { try await engine.ordinals(name, of: changed.map(\.identifier), at: moment) }
      candidates += zip(changed, ordinals).map { Candidate($0, ordinal: $1 ?? .max) }
      candidates.sort { $0.ordinal < $1.ordinal }
      candidates += written.filter(\.isNew).map { Candidate($0, ordinal: .max) }
      return try await run(program, selected.plan.testing(candidates.count), candidates, memory)
    }
    let plan = QueryPlan.all(try await translating { try await engine.count(name) })
    return try await runThroughAll(program, plan, memory)
  }

  /// Looks at records that indexes and keys of the transaction under way lead to.
  private func run<M: Model>(
    _ program: QueryProgram<M>, _ plan: QueryPlan, _ candidates: [Candidate], _ memory: QueryMemory
  ) async throws -> (records: [FoundRecord], plan: QueryPlan, lookedAt: Int) {
    let run = try makeRun(program, plan, memory)
    var found: [FoundRecord] = []
    var lookedAt = 0
    var start = 0
    while start < candidates.count, !run.isFinished {
      let slice = candidates[start..<min(start + Self.sliceSize, candidates.count)]
      let stored = slice.compactMap(\.stored)
      var values =
        stored.isEmpty ? [] : try await values(of: stored[...], type: M.typeName, at: memory.moment)[...]
      for candidate in slice where !run.isFinished {
        guard let value = candidate.written ?? (values.popFirst() ?? nil) else { continue }
        lookedAt += 1
        if let place = try await take(candidate.identifier, value, run, memory) {
          found.put((candidate.identifier, value), at: place)
        }
      }
      start += slice.count
    }
    return (run.finish().map { found[$0] }, plan, lookedAt)
  }

  private func makeRun<M: Model>(
    _ program: QueryProgram<M>, _ plan: QueryPlan, _ memory: QueryMemory
  ) throws -> QueryRun<M> {
    try QueryRun(
      program, plan, related: { try memory.record(of: $0, $1) }, joined: { try memory.records(of: $0, where: $1) })
  }

  /// Looks at records that indexes lead to.
  ///
  /// - Returns: nil if more of them are needed.
  private func run<M: Model>(
    _ program: QueryProgram<M>, _ selected: SelectedRecords, _ records: [SelectedRecord], _ memory: QueryMemory
  ) async throws -> (records: [FoundRecord], plan: QueryPlan, lookedAt: Int)? {
    let plan = selected.plan
    let run = try makeRun(program, plan, memory)
    var found: [FoundRecord] = []
    var lookedAt = 0
    var isEnough = run.isFinished
    var start = 0
    // What is enough is mostly found soon.
    var size = plan.isSortedByIndex ? 64 : Self.sliceSize
    while start < records.count, !isEnough {
      let slice = records[start..<min(start + size, records.count)]
      let values = try await values(of: slice, type: M.typeName, at: memory.moment)
      for (record, value) in zip(slice, values) {
        guard let value else { continue }
        if plan.isSortedByIndex, record.isNewKey, run.isFinishedBeforeNewKey { isEnough = true }
        if isEnough { break }
        lookedAt += 1
        if let place = try await take(record.identifier, value, run, memory) {
          found.put((record.identifier, value), at: place)
        }
        isEnough = run.isFinished
      }
      start += slice.count
      size = Self.sliceSize
    }
    if !isEnough, selected.goesOn { return nil }
    return (run.finish().map { found[$0] }, plan, lookedAt)
  }

  /// Looks at all records of a type, those of the transaction under way included.
  private func runThroughAll<M: Model>(
    _ program: QueryProgram<M>, _ plan: QueryPlan, _ memory: QueryMemory
  ) async throws -> (records: [FoundRecord], plan: QueryPlan, lookedAt: Int) {
    guard let moment = memory.moment else { throw MomentIsNeeded() }
    let name = M.typeName
    let run = try makeRun(program, plan, memory)
    var found: [FoundRecord] = []
    var lookedAt = 0
    func look(_ identifier: String, _ value: [UInt8]) async throws {
      lookedAt += 1
      if let place = try await take(identifier, value, run, memory) { found.put((identifier, value), at: place) }
    }
    var cursor: CreationCursor? = .start
    while let position = cursor, !run.isFinished {
      let chunk = try await translating { try await handle.engine.readChunk(name, after: position, at: moment) }
      try skipDamage(in: chunk, of: name)
      for row in chunk.rows where !run.isFinished {
        if let entry = transaction?.entry(name, row.identifier) {
          // What it was before the transaction does not count; what came with it comes last.
          if entry.revision != nil, let content = entry.content { try await look(row.identifier, content) }
        } else {
          try await look(row.identifier, Array(chunk.value(row)))
        }
      }
      cursor = chunk.next
    }
    for record in transaction?.newRecords(name) ?? [] where !run.isFinished {
      try await look(record.identifier, record.bytes)
    }
    return (run.finish().map { found[$0] }, plan, lookedAt)
  }

  /// Looks at one record, and asks for those of others that it takes.
  private func take<M: Model>(
    _ identifier: String, _ value: [UInt8], _ run: QueryRun<M>, _ memory: QueryMemory
  ) async throws -> Int? {
    while true {
      do {
        return try run.take(value).place
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
        try await skip(error, M.typeName, identifier)
        return nil
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
    return try await run(query, program, at: moment, after: position).records.map(\.value)
  }
}

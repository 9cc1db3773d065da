import Foundation
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// A selection of records by indexes.
private struct IndexSelection {
  let planner: QueryPlanner
  /// The number of sequential reads that take the same time, as a part of all records.
  let share: Double
  /// Whether the condition holds for all selected records.
  let isExact: Bool
}

extension RecordStore {
  /// The number of values of a column that are tested in the time that it takes to read one record.
  private static var valuesPerRecord: Double { 50 }

  /// Evaluates an aggregate or groups from columns, if the columns exist or are worth building. Those of the records
  /// that indexes select are built for this query only.
  ///
  /// - Returns: nil if the query has to read records, which discard everything that was received.
  final func foldColumns<M: Model>(
    _ query: ModelQuery<M>, _ projection: QueryProjection
  ) async throws -> QueryReport? {
    let context = try await context(of: M.self)
    // Without the state of the writes, columns could be older than the records.
    guard let state = context.state, context.hasAllRecords, transaction?.touches(context.name) != true else {
      return nil
    }
    let program = try QueryProgram(query, in: scope.transformers, canJoin: true, projection: projection)
    guard let keys = program.keysOfProjection() else { return nil }
    let position = transaction?.position
    let revision = state.lastWrite
    let selection = selection(of: program, try await handle.current())
    let share = selection?.share ?? 1
    if let selection, share * Self.valuesPerRecord <= 1 {
      return try await foldSelected(program, selection, after: position)
    }
    let search = columnCache.columns(keys, of: context.name, at: revision, reading: share, buildCost: 1 - share) {
      [handle] in
      (handle as? any WriteLoggingEngine)?.records(of: context.name, writtenAfter: $0, upTo: revision)
    }
    switch search {
    case .found(let columns):
      // Reports lost records, as a query of the records does.
      _ = try await handle.current().count(context.name)
      try transaction?.noteQuery(context.name, at: position)
      return try await fold(columns, program, isRead: false, after: position) { state.lastWrite == revision }
    case .wanted(let known):
      let missing = keys.filter { known[$0] == nil }
      guard let built = try await columns(of: program, missing) else { return nil }
      columnCache.add(built, of: context.name, at: revision)
      let all = known.merging(built.compactMapValues(\.self)) { $1 }
      guard state.lastWrite == revision, keys.allSatisfy({ all[$0] != nil }) else { return nil }
      try transaction?.noteQuery(context.name, at: position)
      return try await fold(all, program, isRead: true, after: position) { state.lastWrite == revision }
    case .unwanted:
      guard let selection else { return nil }
      return try await foldSelected(program, selection, after: position)
    }
  }

  /// Evaluates an aggregate or groups from columns of the records that indexes select.
  ///
  /// - Returns: nil if indexes select none, or one can't be read or stored in a column. A query of the records reports
  ///   the error.
  private func foldSelected<M: Model>(
    _ program: QueryProgram<M>, _ selection: IndexSelection, after position: UInt64?
  ) async throws -> QueryReport? {
    // The records of related models would be from another moment.
    guard !program.projectsRelatedModels, let snapshot = try await handle.current() as? any ScanningSnapshot,
      let keys = program.keysOfProjection(isTested: !selection.isExact)
    else { return nil }
    let builder = program.columnBuilder(for: keys)
    var isReadable = true
    var count = 0
    let selected: QueryPlan?
    do {
      selected = try await snapshot.scan(M.typeName, selectedBy: selection.planner) { record in
        count += 1
        if count.isMultiple(of: 1_024) { try checkCancellation() }
        do {
          try builder.add(record)
        } catch {
          isReadable = false
        }
        return isReadable && !builder.isImpossible
      }
    } catch let error as ModelStoreError where error.code == .corrupt {
      return nil
    } catch is SnapshotExpired {
      return nil
    }
    guard let plan = selected, isReadable, !builder.isImpossible, plan.isExact || !selection.isExact else { return nil }
    let columns = builder.finish().compactMapValues(\.self)
    guard keys.allSatisfy({ columns[$0] != nil }) else { return nil }
    try transaction?.noteQuery(M.typeName, at: position)
    return try await fold(columns, program, isRead: true, selected: plan, after: position) { true }
  }

  /// Returns the selection of records by indexes; nil if all records have to be read.
  private func selection<M: Model>(of program: QueryProgram<M>, _ snapshot: Engine.Snapshot) -> IndexSelection? {
    guard program.query.filter != nil, let indexes = snapshot.indexes(of: M.typeName) else { return nil }
    let planner = QueryPlanner(program, fields: indexes.fields, scatteredCost: indexes.scatteredCost)
    if !planner.canUseIndexes { return nil }
    let plan = indexes.plan(planner)
    if plan.isFullScan { return nil }
    let cost = Double(plan.estimatedCount) * Double(indexes.scatteredCost)
    return IndexSelection(
      planner: planner, share: min(1, cost / Double(max(1, plan.totalCount))), isExact: plan.isExact)
  }

  /// Returns nil if a value can't be read. Only the records decide whether the query needs it: columns also have values
  /// that a previous part of the condition excludes, or that were replaced.
  ///
  /// - Parameter isCurrent: returns whether no record was written since the columns were built.
  private func fold<M: Model>(
    _ columns: [String: ValueColumn], _ program: QueryProgram<M>, isRead: Bool, selected plan: QueryPlan? = nil,
    after position: UInt64?, isCurrent: () -> Bool
  ) async throws -> QueryReport? {
    guard let count = columns.first?.value.count else { return nil }
    do {
      let rows = try program.rows(columns, selectedBy: plan)
      let values =
        if program.projectsRelatedModels {
          try await columnsOfRelatedModels(columns, rows, program, after: position, isCurrent)
        } else {
          try program.columnsOfProjection(columns, in: rows) { _, _ in nil }
        }
      guard let values else { return nil }
      return try program.fold(values, rows, count, isRead: isRead, selectedBy: plan)
    } catch let error as ModelStoreError where error.code == .corrupt {
      return nil
    }
  }

  /// Returns the columns of a projection, with the related models of one snapshot.
  private func columnsOfRelatedModels<M: Model>(
    _ columns: [String: ValueColumn], _ rows: [Int32]?, _ program: QueryProgram<M>, after position: UInt64?,
    _ isCurrent: () -> Bool
  ) async throws -> [ValueColumn]? {
    try await withSnapshot { snapshot in
      // The columns have the records of the snapshot only if none was written before it was taken.
      guard isCurrent() else { return nil }
      let memory = QueryMemory(snapshot, isSnapshot: true, after: position, nil)
      while true {
        do {
          return try program.columnsOfProjection(columns, in: rows) { try memory.record(of: $0, $1) }
        } catch let missing as MissingRelatedRecords {
          // Several columns can be of the same related model.
          for record in missing.records where !memory.hasRead(record) {
            try checkCancellation()
            try await read(record, memory)
          }
        }
      }
    }
  }

  /// Builds columns from all records; returns nil if one can't be read.
  private func columns<M: Model>(
    of program: QueryProgram<M>, _ keys: [String]
  ) async throws -> [String: ValueColumn?]? {
    try await withSnapshot { snapshot in
      let count = try await snapshot.count(M.typeName)
      let builder = program.columnBuilder(for: keys)
      builder.reserve(count)
      if let scanned = snapshot as? any ScanningSnapshot {
        let scans = try await scanned.scans(of: M.typeName, inParts: Self.partCount(for: count))
        let builders = [builder] + scans.dropFirst().map { _ in program.columnBuilder(for: keys) }
        guard try await run(scans, into: builders) else { return nil }
        for next in builders.dropFirst() { builder.append(next) }
        return builder.finish()
      }
      var next: UInt64? = 0
      while let position = next {
        try checkCancellation()
        let part = try await snapshot.records(M.typeName, after: position, atMost: 1_000)
        if !part.unreadable.isEmpty { return nil }
        do {
          for record in part.records { try builder.add(record.bytes) }
        } catch {
          // A query of the records reports the error.
          return nil
        }
        next = builder.isImpossible ? nil : part.next
      }
      return builder.finish()
    }
  }

  /// Returns the number of parts that are scanned at the same time: one for each core, if they are worth a task.
  private static func partCount(for count: Int) -> Int {
    max(1, min(ProcessInfo.processInfo.activeProcessorCount, 4, count / 16_384))
  }

  /// Adds the records of each scan to a builder. Several scans run at the same time.
  ///
  /// - Returns: `false` if a record can't be read. A query of the records reports the error.
  private func run(_ scans: [any RecordScan], into builders: [ColumnTableBuilder]) async throws -> Bool {
    guard let first = scans.first else { return true }
    if scans.count == 1 { return try await Self.add(first, to: builders[0]) }
    return try await withThrowingTaskGroup(of: Bool.self) { group in
      for (scan, builder) in zip(scans, builders) {
        // Only this task uses the builder until the group ends. Builders share the slots of the query, which are
        // constant.
        nonisolated(unsafe) let builder = builder
        group.addTask { try await Self.add(scan, to: builder) }
      }
      for try await isComplete in group where !isComplete {
        group.cancelAll()
        return false
      }
      return true
    }
  }

  /// Adds all records to a builder, until a value can't be stored in a column.
  ///
  /// - Returns: `false` if a record can't be read.
  private static func add(_ scan: any RecordScan, to builder: ColumnTableBuilder) async throws -> Bool {
    var count = 0
    var isReadable = true
    let isComplete = try await scan.forEach { record in
      count += 1
      if count.isMultiple(of: 1_024) {
        if Task.isCancelled {
          throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.")
        }
        if builder.isImpossible { return false }
      }
      do {
        try builder.add(record)
      } catch {
        isReadable = false
      }
      return isReadable
    }
    return isComplete && isReadable
  }
}

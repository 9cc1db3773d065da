@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension Journal {
  /// Migrates all records to the versions of the program, in one batch.
  ///
  /// - Throws: ``FileEngineError/newerModel(type:version:known:)``,
  ///   ``FileEngineError/migrationFailed(type:identifier:version:reason:)``,
  ///   ``FileEngineError/unknownVersion(type:_:)``, ``UnreadableBeforeMigration``; nothing is changed then.
  func migrate(_ plan: MigrationPlan) throws {
    try plan.refuseMistakes()
    let index = contents.withIndex { $0 }
    let versions = try ModelVersions(index, contents)
    for (type, version) in versions.types { _ = try plan.isDue(type, from: version.number) }
    var changes: [Change] = []
    for type in plan.types {
      let known = plan.version(of: type)
      let version = versions.types[type]?.number ?? 1
      let records = versions.changes(of: type, to: known)
      changes += records.before
      if version != known {
        var removed: Set<ExactText> = []
        if let live = Self.live(type, in: index) {
          try versions.refuseLostVersion(of: type, contents.issues, fileSystem)
          try migrate(live, type, from: version, plan, into: &changes, &removed)
        }
        if let outbox = Self.live(OutboxRecord.typeName, in: index) {
          try migrateCopies(outbox, type, from: version, plan, into: &changes, removed)
        }
      }
      changes += records.after
    }
    guard !changes.isEmpty else { return }
    for result in commit([changes], isDurable: true) { _ = try result.get() }
  }

  /// Returns the live records of a type; nil if there are none.
  private static func live(_ type: String, in index: JournalIndex) -> RecordSelection? {
    guard let number = index.number(of: type), index.types[number].liveCount > 0 else { return nil }
    return index.selection(index.types[number].entries.filter(\.isLive), ofType: number)
  }

  /// Calls a closure with the identifier and the bytes of each record.
  ///
  /// - Throws: ``UnreadableBeforeMigration``: `repair()` might be able to read a record later, and a migration must not
  ///   skip it silently.
  private func forEach(
    _ records: RecordSelection, where isIncluded: (String) -> Bool = { _ in true },
    _ body: (String, [UInt8]) throws -> Void
  ) throws {
    try contents.forEachRecord(records) { number, line, value in
      let identifier = records.identifier(number)
      if !isIncluded(identifier) { return }
      guard let value else {
        throw UnreadableBeforeMigration(issue: contents.damage(at: records.entries[number].place, in: line))
      }
      try body(identifier, Array(line[value]))
    }
  }

  private func migrate(
    _ records: RecordSelection, _ type: String, from version: Int, _ plan: MigrationPlan,
    into changes: inout [Change], _ removed: inout Set<ExactText>
  ) throws {
    try forEach(records) { identifier, old in
      guard let new = try plan.migrate(old, of: type, identifier, from: version) else {
        removed.insert(ExactText(identifier))
        return changes.append(.delete(type, identifier))
      }
      if new != old { changes.append(.update(type, identifier, new)) }
    }
  }

  /// Migrates the copies of records of a type in the outbox.
  ///
  /// - Parameter removed: the records that the migration removes. Their changes are not sent, nor is a deletion.
  private func migrateCopies(
    _ outbox: RecordSelection, _ type: String, from version: Int, _ plan: MigrationPlan,
    into changes: inout [Change], _ removed: Set<ExactText>
  ) throws {
    try forEach(outbox, where: { $0.utf8.starts(with: (type + "/").utf8) }) { name, old in
      // A damaged record stays as it is: the synchronisation reports it.
      guard var record = OutboxRecord(bytes: old), record.type == type else { return }
      let identifier = record.identifier
      if removed.contains(ExactText(identifier)) { return changes.append(.delete(OutboxRecord.typeName, name)) }
      try record.migrate { try plan.migrate($0, of: type, identifier, from: version).value }
      let new = try record.bytes()
      if new != old { changes.append(.update(OutboxRecord.typeName, name, new)) }
    }
  }

  /// Throws if records have other versions than those of the program.
  static func refuseOtherVersions(_ contents: JournalContents, _ plan: MigrationPlan) throws {
    try plan.refuseMistakes()
    let index = contents.withIndex { $0 }
    let versions = try ModelVersions.all(in: contents)
    for (type, version) in versions { _ = try plan.isDue(type, from: version) }
    for type in plan.types {
      guard let number = index.number(of: type), index.types[number].liveCount > 0 else { continue }
      let version = versions[type] ?? 1
      if try plan.isDue(type, from: version) {
        throw FileEngineError.needsMigration(type: type, version: version, known: plan.version(of: type))
      }
    }
  }
}

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
      if version != known, let number = index.number(of: type), index.types[number].liveCount > 0 {
        try versions.refuseLostVersion(of: type, contents.issues, fileSystem)
        let live = index.types[number].entries.filter(\.isLive)
        try migrate(index.selection(live, ofType: number), type, from: version, plan, into: &changes)
      }
      changes += records.after
    }
    guard !changes.isEmpty else { return }
    for result in commit([changes], isDurable: true) { _ = try result.get() }
  }

  private func migrate(
    _ records: RecordSelection, _ type: String, from version: Int, _ plan: MigrationPlan, into changes: inout [Change]
  ) throws {
    try contents.forEachRecord(records) { number, line, value in
      // repair() might be able to read it later; a migration must not skip it silently.
      guard let value else {
        throw UnreadableBeforeMigration(issue: contents.damage(at: records.entries[number].place, in: line))
      }
      let identifier = records.identifier(number)
      let old = Array(line[value])
      guard let new = try plan.migrate(old, of: type, identifier, from: version) else {
        return changes.append(.delete(type, identifier))
      }
      if new != old { changes.append(.update(type, identifier, new)) }
    }
  }

  /// Throws if records have other versions than those of the program.
  static func refuseOtherVersions(_ contents: JournalContents, _ plan: MigrationPlan) throws {
    try plan.refuseMistakes()
    let index = contents.withIndex { $0 }
    let versions = try ModelVersions.all(in: index, contents)
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

@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The declared migration steps of a program, in their order.
struct MigrationPlan: Sendable {
  private var steps: [String: [Migration]] = [:]

  /// The versions that records need to have in a store that does not migrate them.
  private var versions: [String: Int] = [:]

  /// The mistake in the declared migrations.
  private let mistake: FileEngineError?

  /// Creates the plan of a store that does not migrate records.
  init(versions: [String: Int]) {
    self.init()
    self.versions = versions
  }

  init(_ migrations: [Migration] = []) {
    var mistake: FileEngineError?
    for (type, steps) in Dictionary(grouping: migrations, by: \.typeName) {
      if StoreFormat.isReservedType(type) { mistake = .reservedType(type) }
      let sorted = steps.sorted { $0.version < $1.version }
      self.steps[type] = sorted
      for (step, next) in zip(sorted, sorted.dropFirst()) where step.version == next.version {
        mistake = .wrongMigrations(type: type, reason: "there are two steps to version \(step.version)")
      }
      for (step, next) in zip(sorted, sorted.dropFirst()) where step.version + 1 < next.version {
        mistake = .wrongMigrations(
          type: type, reason: "there is a step to version \(next.version), and none to version \(next.version - 1)")
      }
      if let first = sorted.first, first.version < 2 {
        mistake = .wrongMigrations(
          type: type, reason: "a step migrates to version \(first.version), but the first possible version is 2")
      }
    }
    self.mistake = mistake
  }

  /// The types that have steps.
  var types: [String] { steps.keys.sorted() }

  /// Returns the version of a type in the program.
  func version(of type: String) -> Int { steps[type]?.last?.version ?? versions[type] ?? 1 }

  func refuseMistakes() throws(FileEngineError) { if let mistake { throw mistake } }

  /// Returns the steps from a version to that of the program.
  ///
  /// - Throws: ``FileEngineError/newerModel(type:version:known:)``,
  ///   ``FileEngineError/needsMigration(type:version:known:)`` if records are not migrated, or
  ///   ``FileEngineError/wrongMigrations(type:reason:)`` if a step is missing.
  private func steps(_ type: String, from version: Int) throws(FileEngineError) -> ArraySlice<Migration> {
    try refuseMistakes()
    let known = self.version(of: type)
    guard version <= known else { throw .newerModel(type: type, version: version, known: known) }
    if version < versions[type] ?? 1 { throw .needsMigration(type: type, version: version, known: known) }
    let due = steps[type]?.drop { $0.version <= version } ?? []
    if let first = due.first, first.version > version + 1 {
      throw .wrongMigrations(
        type: type, reason: "the store has version \(version), and there is no step to version \(version + 1)")
    }
    return due
  }

  /// Returns whether records of a version need a migration.
  func isDue(_ type: String, from version: Int) throws(FileEngineError) -> Bool {
    try !steps(type, from: version).isEmpty
  }

  /// Returns a record migrated to the version of the program; nil if a step removed it.
  func migrate(_ bytes: [UInt8], of type: String, _ identifier: String, from version: Int) throws -> [UInt8]? {
    if try !isDue(type, from: version) { return bytes }
    guard let value = (try? JSONValue(json: bytes))?.objectValue else {
      throw FileEngineError.migrationFailed(
        type: type, identifier: identifier, version: version, reason: "it is not an object")
    }
    let record = try migrate(value, of: type, identifier, from: version)
    if record.isRemoved { return nil }
    return Array(try JSONValue.object(record.value).jsonData(JSONWritingOptions(sortedKeys: true)))
  }

  /// Returns a record migrated to the version of the program, or until a step removed it.
  ///
  /// - Throws: ``FileEngineError/migrationFailed(type:identifier:version:reason:)``.
  func migrate(
    _ value: AttributeDictionary, of type: String, _ identifier: String, from version: Int
  ) throws -> MigratingRecord {
    var record = MigratingRecord(typeName: type, identifier: identifier, value: value)
    for migration in try steps(type, from: version) where !record.isRemoved {
      do {
        try migration.body(&record)
      } catch {
        throw FileEngineError.migrationFailed(
          type: type, identifier: identifier, version: migration.version, reason: "\(error)")
      }
    }
    return record
  }
}

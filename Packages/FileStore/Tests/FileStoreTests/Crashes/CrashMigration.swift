@testable import FileStore

/// The versions of the books of a workload, as a program declares them, and by plain means what becomes of a state.
enum CrashMigration {
  static let lastVersion = 3
  private static let type = "Book"

  /// The migrations known to a program that has the records of a version.
  static func plan(to version: Int) -> MigrationPlan {
    let steps = [
      Migration(type, to: 2) { try $0.rename("title", to: "name") },
      Migration(type, to: 3) { record in
        try record.convert("name") { .string(($0.stringValue ?? "") + "!") }
        if record.identifier.hasSuffix("3") { record.remove() }
      },
    ]
    return MigrationPlan(Array(steps.prefix(version - 1)))
  }

  /// Returns the changes that the migration to a version makes to a state, in order.
  static func changes(of snapshot: Snapshot, to version: Int) -> [Change] {
    let known = self.version(of: snapshot)
    guard version > (known ?? 1) else { return [] }
    let record = Array(#"{"version":\#(version)}"#.utf8)
    func change(_ identifier: String) -> Change {
      known == nil
        ? .create(ModelVersions.typeName, identifier, record) : .update(ModelVersions.typeName, identifier, record)
    }
    var changes = [change("@copy/" + type)]
    for row in snapshot.types[type] ?? [] {
      guard let value = migrated(row, from: known ?? 1, to: version) else {
        changes.append(.delete(type, row.identifier))
        continue
      }
      if value != row.value { changes.append(.update(type, row.identifier, Array(value.utf8))) }
    }
    changes.append(change(type))
    return changes
  }

  /// The state after it.
  static func migrated(_ snapshot: Snapshot) -> Snapshot {
    var result = snapshot
    for change in changes(of: snapshot, to: lastVersion) { result.apply(change) }
    return result
  }

  private static func version(of snapshot: Snapshot) -> Int? {
    snapshot.types[ModelVersions.typeName]?.first { $0.identifier == type }.flatMap { row in
      Int(row.value.filter(\.isNumber))
    }
  }

  private static func migrated(_ row: Snapshot.Row, from old: Int, to version: Int) -> String? {
    var value = row.value
    if old < 2, version >= 2, value.hasPrefix(#"{"title":"#) { value = #"{"name":"# + value.dropFirst(9) }
    if old < 3, version >= 3 {
      if row.identifier.utf8.last == UInt8(ascii: "3") { return nil }
      if value.hasPrefix(#"{"name":"#) { value = value.dropLast(2) + #"!"}"# }
    }
    return value
  }
}

/// Something that must not happen, for a test that shows that it does not stay unseen.
enum CrashDefect: String, CaseIterable {
  /// The contents of files are never synced.
  case syncsNoFile

  /// No name is ever brought to the disk.
  case syncsNoFolder

  /// A durable write is acknowledged when it begins.
  case acknowledgesBeforeWriting

  /// The changes of a migration are batches of their own.
  case migratesInParts

  /// Whether the disk learns of a call.
  func hides(_ operation: DiskOperation) -> Bool {
    switch (self, operation) {
    case (.syncsNoFile, .synchronize), (.syncsNoFolder, .synchronizeFolder): true
    default: false
    }
  }
}

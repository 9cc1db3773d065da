import Foundation

@testable import FileStore
@testable import StoreProtocolTesting

/// The expected content of a group's journal, by plain means: a list of states, one more for each batch.
struct GroupHistory {
  private(set) var states: [Snapshot]

  /// From where on in the trace this state, or a later one, must be there.
  private var acknowledged: [(position: Int, state: Int)] = []

  /// From where on in the trace this state can be there.
  private var begun: [(position: Int, state: Int)] = []

  init(_ first: Snapshot) { states = [first] }

  var current: Snapshot { states[states.count - 1] }

  mutating func begin(_ batches: [[Change]], at position: Int) {
    for batch in batches {
      var next = current
      for change in batch { next.apply(change) }
      states.append(next)
    }
    begun.append((position, states.count - 1))
  }

  mutating func acknowledge(at position: Int) { acknowledged.append((position, states.count - 1)) }

  /// The states that are possible after a part of the trace.
  func possible(after position: Int) -> ArraySlice<Snapshot> {
    let first = acknowledged.last { $0.position <= position }?.state ?? 0
    let last = begun.last { $0.position <= position }?.state ?? 0
    return states[first...max(first, last)]
  }
}

extension Snapshot {
  mutating func apply(_ change: Change) {
    // Byte by byte, as stores do it: Swift takes an accent in one code point and in two for the same.
    let index = types[change.type]?.firstIndex { $0.identifier.utf8.elementsEqual(change.identifier.utf8) }
    let value = String(decoding: change.value, as: UTF8.self)
    switch (change.operation, index) {
    case (.create, _):
      types[change.type, default: []].append(.init(identifier: change.identifier, revision: 1, value: value))
    case (.update, let index?):
      types[change.type]?[index].revision += 1
      types[change.type]?[index].value = value
    case (.delete, let index?):
      types[change.type]?.remove(at: index)
      if types[change.type]?.isEmpty == true { types[change.type] = nil }
    default: break
    }
  }
}

extension JournalContents {
  /// Everything that can be read, types without models left out, and the records that can't be.
  func everything() throws -> (snapshot: Snapshot, damages: [IntegrityIssue]) {
    var snapshot = Snapshot()
    var damages: [IntegrityIssue] = []
    for name in withIndex({ $0.typeNames }) {
      let chunk = try chunk(of: name, after: .start, limit: .max, byteLimit: .max)
      damages += chunk.damages
      if chunk.rows.isEmpty { continue }
      snapshot.types[name] = chunk.rows.map {
        .init(identifier: $0.identifier, revision: $0.revision, value: String(decoding: chunk.value($0), as: UTF8.self))
      }
    }
    return (snapshot, damages)
  }
}

/// A store of several groups, opened as the engine does it, but without threads.
struct ScriptedStore {
  private struct FixedClock: EngineClock {
    func nanoseconds() -> UInt64 { 1_000 }
    func timestamp() -> String { "2001-01-01T00:00:00Z" }
  }

  static let directory = "/store"

  let home: StoreDirectory
  private(set) var journals: [Journal] = []

  init(
    _ fileSystem: TracingFileSystem, groups: [String], options: Journal.Options,
    migrations: MigrationPlan? = nil
  ) throws {
    home = try StoreDirectory(directory: Self.directory, fileSystem: fileSystem, clock: FixedClock())
    for group in groups {
      let journal = try Journal.open(
        group: group, in: home.groups, options: options, fileSystem: fileSystem, issues: home.issues,
        home: home)
      if let migrations { try journal.migrate(migrations) }
      journals.append(journal)
    }
  }

  func everything() throws -> [Snapshot] { try journals.map { try $0.contents.everything().snapshot } }
}

/// Random work on a store that a seed determines.
struct CrashWorkload {
  static let groups = ["", "rare books"]
  private static let types = ["Book", "Author", "{\"a\",\n}"]

  let seed: UInt64
  let options: Journal.Options
  let start: DiskImage

  /// Whether the program comes to know newer versions of a type from one opening to the next.
  let migrates: Bool

  /// The deliberate defect, for a test of the check itself.
  private let defect: CrashDefect?
  private(set) var histories: [GroupHistory] = []
  private var random: RandomSource
  private var created = 0

  init(seed: UInt64, defect: CrashDefect? = nil) throws {
    self.seed = seed
    self.defect = defect
    migrates = seed % 4 == 3
    random = RandomSource(seed: seed)
    var options = Journal.Options()
    options.segmentSize = [300, 900, 1 << 20].randomElement(using: &random) ?? 300
    options.preallocation = [0, 256, 1_024].randomElement(using: &random) ?? 0
    options.checkpointInterval = [1, 400, 1 << 20].randomElement(using: &random) ?? 1
    self.options = options
    switch seed % 4 {
    case 1: start = try Self.fixture("version-1")
    case 2: start = try Self.fixture("version-1-crashed")
    default: start = DiskImage()
    }
    histories = try ScriptedStore(TracingFileSystem(start), groups: Self.groups, options: options).everything()
      .map(GroupHistory.init)
  }

  /// The directory that an older version has written, as the content of a disk.
  private static func fixture(_ name: String) throws -> DiskImage {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/\(name)").path(percentEncoded: false)
    var image = DiskImage(folders: ["/", ScriptedStore.directory])
    for case let path as String in FileManager.default.enumerator(atPath: root) ?? .init() {
      if let data = FileManager.default.contents(atPath: "\(root)/\(path)") {
        image.files["\(ScriptedStore.directory)/\(path)"] = Array(data)
      } else {
        image.folders.insert("\(ScriptedStore.directory)/\(path)")
      }
    }
    return image
  }

  /// Does all of it on a file system that works, and notes what must be there when.
  mutating func run(on fileSystem: TracingFileSystem) throws {
    var store: ScriptedStore? = try ScriptedStore(fileSystem, groups: Self.groups, options: options)
    var version = 1
    for round in 0..<Int.random(in: 3...9, using: &random) {
      if migrates, round % 3 == 1, let open = store {
        try close(open, fileSystem)
        store = nil
      }
      if store == nil { version = min(version + 1, CrashMigration.lastVersion) }
      let open = try store ?? reopen(fileSystem, version: version)
      store = open
      let group = Int.random(in: 0..<Self.groups.count, using: &random)
      let journal = open.journals[group]
      switch Int.random(in: 0..<16, using: &random) {
      case 0..<8: try write(to: group, journal, isDurable: true, fileSystem)
      case 8..<11: try write(to: group, journal, isDurable: false, fileSystem)
      case 11:
        try journal.sync()
        histories[group].acknowledge(at: fileSystem.trace.count)
      case 12..<15:
        guard var compaction = try journal.beginCompaction() else { continue }
        if round % 3 == 0,
          let count = compaction.files.indices.filter({ !compaction.files[$0].segment.isCompacted }).first
        {
          compaction = try compaction.step(over: Array(compaction.files[...count]), fileSystem)
        }
        histories[group].acknowledge(at: fileSystem.trace.count)
        let outcome = try compaction.run(fileSystem)
        if Bool.random(using: &random) { try write(to: group, journal, isDurable: true, fileSystem) }
        try journal.finish(compaction, outcome)
        histories[group].acknowledge(at: fileSystem.trace.count)
      default:
        try close(open, fileSystem)
        store = nil
      }
      try store?.journals[group].writeDueCheckpoint()
    }
  }

  private mutating func close(_ store: ScriptedStore, _ fileSystem: TracingFileSystem) throws {
    for (group, journal) in store.journals.enumerated() {
      try journal.close()
      histories[group].acknowledge(at: fileSystem.trace.count)
    }
  }

  /// Opens the store as the program does that knows a version of the records, which is the first one in most workloads.
  private mutating func reopen(_ fileSystem: TracingFileSystem, version: Int) throws -> ScriptedStore {
    guard migrates else { return try ScriptedStore(fileSystem, groups: Self.groups, options: options) }
    for group in histories.indices {
      let changes = CrashMigration.changes(of: histories[group].current, to: version)
      if !changes.isEmpty { histories[group].begin([changes], at: fileSystem.trace.count) }
    }
    let store: ScriptedStore
    if defect == .migratesInParts {
      store = try ScriptedStore(fileSystem, groups: Self.groups, options: options)
      for journal in store.journals {
        let changes = CrashMigration.changes(of: try journal.contents.everything().snapshot, to: version)
        for change in changes { try journal.write([change]) }
      }
    } else {
      store = try ScriptedStore(
        fileSystem, groups: Self.groups, options: options, migrations: CrashMigration.plan(to: version))
    }
    for group in histories.indices { histories[group].acknowledge(at: fileSystem.trace.count) }
    return store
  }

  private mutating func write(
    to group: Int, _ journal: Journal, isDurable: Bool, _ fileSystem: TracingFileSystem
  ) throws {
    let batches = makeBatches(histories[group].current)
    histories[group].begin(batches, at: fileSystem.trace.count)
    if isDurable, defect == .acknowledgesBeforeWriting { histories[group].acknowledge(at: fileSystem.trace.count) }
    for result in journal.commit(batches, isDurable: isDurable) { _ = try result.get() }
    if isDurable { histories[group].acknowledge(at: fileSystem.trace.count) }
  }

  /// One to three batches that can be written after each other on top of a state.
  mutating func makeBatches(_ snapshot: Snapshot) -> [[Change]] {
    var snapshot = snapshot
    return (0..<[1, 1, 2, 3][Int.random(in: 0..<4, using: &random)]).map { _ in
      (0..<[1, 1, 2, 4][Int.random(in: 0..<4, using: &random)]).map { _ in
        let change = makeChange(snapshot)
        snapshot.apply(change)
        return change
      }
    }
  }

  private mutating func makeChange(_ snapshot: Snapshot) -> Change {
    let type = Self.types.randomElement(using: &random) ?? ""
    let value = JournalScript.json(String(repeating: "v", count: Int.random(in: 0...60, using: &random)))
    guard let row = snapshot.types[type]?.randomElement(using: &random), Int.random(in: 0..<5, using: &random) > 1
    else {
      created += 1
      // Deleted identifiers are used again now and then.
      let identifiers = ["n\(created)", "\(created % 4)", "é\(created)"]
      let free = identifiers.first { identifier in
        snapshot.types[type]?.contains { $0.identifier.utf8.elementsEqual(identifier.utf8) } != true
      }
      return .create(type, free ?? "more \(created)", value)
    }
    return Bool.random(using: &random) ? .update(type, row.identifier, value) : .delete(type, row.identifier)
  }
}

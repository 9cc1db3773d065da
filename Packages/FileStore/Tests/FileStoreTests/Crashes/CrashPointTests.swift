import Foundation
import Testing

@testable import FileStore
@testable import StoreProtocolTesting

/// Replays what random workloads did to a disk, up to every call, with everything that a disk may make of what was not
/// synced.
/// A failure names its seed.
@Suite struct `A store after a power cut` {
  static let wanted = 1_000 * TestEffort.factor

  @Test(arguments: 0..<2 as Range<UInt64>)
  func `A store after a power cut has every acknowledged change, complete batches only, and can be written`(
    part: UInt64
  ) throws {
    var run = CrashRun()
    var seed = TestEffort.firstSeed + part
    while run.states < Self.wanted / 2 {
      try run.tryAll(of: seed)
      seed += 2
    }
    print("Crash points: \(run.states) different states of \(run.workloads) workloads (\(run.nested) in recoveries).")
    #expect(run.failures == [])
  }

  @Test(arguments: CrashDefect.allCases)
  func `A planted defect of a store is detected after a power cut`(defect: CrashDefect) throws {
    var run = CrashRun(defect: defect)
    var seed: UInt64 = 3
    while run.failures.isEmpty, run.workloads < 12 {
      try run.tryAll(of: seed)
      seed += 4
    }
    #expect(!run.failures.isEmpty, "\(run.states) states of \(run.workloads) workloads were tried")
  }
}

/// The trying of states, and its count.
private struct CrashRun {
  private(set) var states = 0
  private(set) var nested = 0
  private(set) var workloads = 0
  private(set) var failures: [String] = []

  /// The deliberate defect of the store.
  private let defect: CrashDefect?

  init(defect: CrashDefect? = nil) { self.defect = defect }

  /// The states that were tried with this workload.
  private var seen: Set<Int> = []

  mutating func tryAll(of seed: UInt64) throws {
    var workload = try CrashWorkload(seed: seed, defect: defect)
    let fileSystem = TracingFileSystem(workload.start)
    try workload.run(on: fileSystem)
    workloads += 1
    var random = RandomSource(seed: seed &* 31)
    seen = []
    var disk = DiskModel(workload.start)
    let trace = fileSystem.trace
    let migrations = workload.migrates ? CrashMigration.plan(to: CrashMigration.lastVersion) : nil
    let migrated = migrations == nil ? [] : workload.histories.map { $0.states.map(CrashMigration.migrated) }
    let tried = Set(TestEffort.sample(0..<trace.count + 1, every: defect == nil ? 3 : 1, offset: Int(seed)))
    for position in 0...trace.count {
      if position > 0, defect?.hides(trace[position - 1]) != true { disk.apply(trace[position - 1]) }
      guard tried.contains(position) else { continue }
      let possible = workload.histories.map { $0.possible(after: position) }
      for loss in losses(after: position > 0 ? trace[position - 1] : nil, &random) {
        // A defect is found once.
        if defect != nil, !failures.isEmpty { return }
        let isTorn = if case .torn = loss { true } else { false }
        // A torn write had not returned.
        let expected =
          isTorn ? workload.histories.map { $0.possible(after: position - 1, orBegun: position) } : possible
        let image = disk.image(after: loss)
        guard isNew(image, expected) else { continue }
        let place = "seed \(seed), call \(position) of \(trace.count), \(loss)"
        let nests = random.next() % 64 == 0
        check(image, expected, workload.options, place, nests: nests, &random)
        guard let migrations else { continue }
        // The program of the time after the crash may be newer: it begins again, or goes on with what is there.
        check(
          image, zip(migrated, expected).map { $0[$1.indices] }, workload.options, "\(place), migrated", nests: nests,
          &random, migrations: migrations)
      }
    }
  }

  /// Counts a state that was not tried before.
  private mutating func isNew(_ image: DiskImage, _ expected: [ArraySlice<Snapshot>]) -> Bool {
    let number = expected.reduce(0) { $0 &* 1_000 &+ $1.startIndex }
    guard seen.insert(image.fingerprint(with: number)).inserted else { return false }
    states += 1
    return true
  }

  private func losses(after operation: DiskOperation?, _ random: inout RandomSource) -> [Loss] {
    var losses: [Loss] = [.dropped, .kept, .onlyNamesKept, .onlyBytesKept]
    for block in [16, 64, 512] {
      losses += (0..<2).map { _ in .shuffled(seed: random.next(), block: block) }
    }
    if case .write(_, _, let bytes)? = operation {
      // Every byte of the last record, and some of those before it: compaction writes many with one call.
      let last = max(0, bytes.count - 160)
      losses += (last..<bytes.count).map { .torn($0) }
      if last > 0 { losses += (0..<12).map { _ in .torn(Int.random(in: 0..<last, using: &random)) } }
    }
    return losses
  }

  /// Opens a store as a crash has left it.
  private mutating func check(
    _ image: DiskImage, _ expected: [ArraySlice<Snapshot>], _ options: Journal.Options, _ place: String, nests: Bool,
    _ random: inout RandomSource, migrations: MigrationPlan? = nil
  ) {
    let fileSystem = TracingFileSystem(image)
    do {
      var store: ScriptedStore? = try ScriptedStore(
        fileSystem, groups: CrashWorkload.groups, options: options, migrations: migrations)
      let opening = fileSystem.trace
      var after: [Snapshot] = []
      for (group, journal) in (store?.journals ?? []).enumerated() {
        var (found, damages) = try journal.contents.everything()
        if !expected[group].contains(found) { fail(place, "group \(group) holds \(found)") }
        let wrong = (damages + journal.contents.issues).filter { if case .tornTail = $0.kind { false } else { true } }
        if !wrong.isEmpty { fail(place, "a crash was taken for damage: \(wrong)") }
        let change = Change.create("Note", "after", JournalScript.json("x"))
        try journal.write([change])
        found.apply(change)
        after.append(found)
      }
      store = nil
      if nests { try checkRecovery(image, opening, expected, options, place, &random, migrations) }
      var disk = DiskModel(image)
      for operation in fileSystem.trace { disk.apply(operation) }
      let again = try ScriptedStore(
        TracingFileSystem(disk.image(after: .dropped)), groups: CrashWorkload.groups, options: options)
      if try again.everything() != after { fail(place, "what was written after it was lost") }
      let issues = again.journals.flatMap(\.contents.issues)
      if !issues.isEmpty { fail(place, "after it was opened and written: \(issues)") }
    } catch {
      fail(place, "\(error)")
    }
  }

  /// Lets the power go once more while the store is being opened.
  private mutating func checkRecovery(
    _ image: DiskImage, _ opening: [DiskOperation], _ expected: [ArraySlice<Snapshot>], _ options: Journal.Options,
    _ place: String, _ random: inout RandomSource, _ migrations: MigrationPlan?
  ) throws {
    var disk = DiskModel(image)
    for (number, operation) in opening.enumerated() {
      disk.apply(operation)
      for loss in [Loss.dropped, .kept, .shuffled(seed: random.next(), block: 64)] {
        let image = disk.image(after: loss)
        guard isNew(image, expected) else { continue }
        nested += 1
        check(
          image, expected, options, "\(place), then call \(number + 1) of its opening, \(loss)",
          nests: false, &random, migrations: migrations)
      }
    }
  }

  private mutating func fail(_ place: String, _ reason: String) {
    if failures.count < 20 { failures.append("\(place): \(reason)") }
  }
}

extension GroupHistory {
  /// The states that are possible while the call at `last` is in progress.
  func possible(after position: Int, orBegun last: Int) -> ArraySlice<Snapshot> {
    let range = possible(after: position)
    return states[range.startIndex..<max(range.endIndex, possible(after: last).endIndex)]
  }
}

import Foundation
import Testing

@testable import FileStore
@testable import StoreProtocolTesting

/// A random history of a store with two groups and every kind of fault, beside a plain list of the states that are
/// allowed.
struct LongLife {
  /// The content of a group, and the largest integers that were identifiers in it.
  struct State {
    var snapshot = Snapshot()
    var integers: [String: Int] = [:]

    mutating func apply(_ change: Change) {
      snapshot.apply(change)
      guard change.operation == .create, let integer = Int(change.identifier) else { return }
      integers[change.type] = max(integer, integers[change.type] ?? 0)
    }
  }

  static let groups = ["", "rare books"]

  let seed: UInt64
  var random: RandomSource

  /// Whether calls to the file system fail now and then.
  let hasFaults: Bool
  var fileSystem = TracingFileSystem()

  /// The content of the disk when the file system was made.
  var start = DiskImage()
  var store: ScriptedStore?
  var readers: [JournalReader?] = [nil, nil]

  /// The states that each group may have after a power cut, from the last one that is known on.
  var states: [[State]] = groups.map { _ in [State()] }

  /// The number of states of each group that are known to be on the disk.
  var synced = [0, 0]
  var created = 0

  /// Whether the last end of the store can have left a torn batch, and whether a mark or manifest can be damaged.
  var canBeTorn = false
  var canLackMark = false
  private var log: [String] = []
  private(set) var failure: String?

  init(seed: UInt64, hasFaults: Bool = false) {
    self.seed = seed
    self.hasFaults = hasFaults
    random = RandomSource(seed: seed)
  }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  mutating func note(_ text: String) { log.append(text) }

  mutating func fail(_ text: String) {
    if failure == nil { failure = "seed \(seed): \(text)\n  after: \(log.suffix(30).joined(separator: " | "))" }
  }

  func current(_ group: Int) -> State { states[group].last ?? State() }

  func isWritable(_ journal: Journal) -> Bool { (try? journal.refuseAfterFailure()) != nil }

  mutating func makeOptions() -> Journal.Options {
    var options = Journal.Options()
    options.segmentSize = [1, 200, 300, 900, 1 << 20][below(5)]
    options.preallocation = [0, 256, 1_024][below(3)]
    options.filling = [64, 512, 64 << 10][below(3)]
    options.checkpointInterval = [1, 400, 1 << 20][below(3)]
    return options
  }

  /// Does something that may fail only if calls to the file system do.
  @discardableResult
  mutating func attempt(_ what: String, _ body: (inout LongLife) throws -> Void) -> Bool {
    note(what)
    do {
      try body(&self)
      return true
    } catch {
      note("failed: \(error)")
      if !hasFaults { fail("\(what): \(error)") }
      return false
    }
  }

  mutating func noteSynced(_ group: Int) { synced[group] = states[group].count - 1 }

  // MARK: Opening

  mutating func open() {
    let options = makeOptions()
    attempt("open, segments of \(options.segmentSize)") { life in
      life.store = nil
      let opened = try ScriptedStore(life.fileSystem, groups: Self.groups, options: options)
      for (group, journal) in opened.journals.enumerated() { try life.checkOpened(group, journal) }
      life.store = opened
      life.canBeTorn = false
    }
  }

  private mutating func checkOpened(_ group: Int, _ journal: Journal) throws {
    let (found, damages) = try journal.contents.everything()
    let wrong = (damages + journal.contents.issues).filter { issue in
      if issue.file.hasSuffix(".json") { return !canLackMark }
      return if case .tornTail = issue.kind { !canBeTorn } else { true }
    }
    if !wrong.isEmpty { fail("found \(wrong)") }
    let possible = states[group][synced[group]...]
    guard let state = possible.first(where: { $0.snapshot == found }) else {
      return fail("group \(group) holds \(found), not one of \(possible.map(\.snapshot))")
    }
    states[group] = [state]
    synced[group] = 0
    for (type, largest) in state.integers {
      let next = journal.contents.withIndex { index in index.reserveInteger(type: index.intern(type)) }
      if next ?? 0 <= largest { fail("group \(group): \(next ?? 0) is to follow \(largest) in \(type)") }
    }
  }

  /// Compares what readers see with what was written.
  mutating func compare() {
    for (group, journal) in (store?.journals ?? []).enumerated() where isWritable(journal) {
      do {
        let found = try journal.contents.everything().snapshot
        if found != current(group).snapshot { fail("group \(group) shows \(found), not \(current(group).snapshot)") }
        guard let reader = readers[group] else { continue }
        if below(3) == 0 {
          let call = fileSystem.callCount + below(12)
          fileSystem.setFault(
            .init(kind: below(5) == 0 ? .short : .error([EIO, EMFILE][below(2)]), calls: call..<call + 1 + below(2)))
          _ = try? reader.follow()
          fileSystem.setFault(nil)
        }
        try reader.follow()
        reader.contents.closeFiles()
        let seen = try reader.contents.everything().snapshot
        if seen != found { fail("who follows group \(group) sees \(seen), not \(found)") }
      } catch {
        fail("reading group \(group): \(error)")
      }
    }
  }

  // MARK: Ends

  mutating func kill() {
    note("kill")
    (store, canBeTorn) = (nil, true)
  }

  /// Leaves what a power cut may leave.
  mutating func losePower() {
    var disk = DiskModel(start)
    for operation in fileSystem.trace { disk.apply(operation) }
    let losses: [Loss] = [
      .dropped, .kept, .onlyNamesKept, .onlyBytesKept, .torn(below(300)), .shuffled(seed: random.next(), block: 16),
      .shuffled(seed: random.next(), block: 64),
    ]
    let loss = losses[below(losses.count)]
    note("power cut, \(loss)")
    begin(with: disk.image(after: loss))
    canBeTorn = true
  }

  /// Goes on with what is on a disk.
  mutating func begin(with image: DiskImage) {
    store = nil
    readers = [nil, nil]
    start = image
    fileSystem = TracingFileSystem(image)
  }

  mutating func close() {
    var isClosed = true
    for (group, journal) in (store?.journals ?? []).enumerated() {
      guard isWritable(journal), attempt("close \(group)", { _ in try journal.close() }) else {
        isClosed = false
        continue
      }
      noteSynced(group)
    }
    store = nil
    canBeTorn = !isClosed
    if isClosed { canLackMark = false }
  }
}

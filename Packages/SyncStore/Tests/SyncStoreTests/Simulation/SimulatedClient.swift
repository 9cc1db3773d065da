import FieldKit
import StoreEngine
import StoreProtocolTesting

@testable import SyncStore

/// A client: its durable state, which only ``commit(_:)`` changes, and the simplest loop around the decisions of lanes.
struct SimulatedClient {
  /// The process was killed.
  struct Killed: Error {}

  struct Durable {
    var records: [String: AttributeDictionary] = [:]
    var outbox: [OutboxEntry] = []
    var cursor: (epoch: Int, time: Int)?
    var discarded: [(name: String, value: RecordMerge.Discarded)] = []

    func entry(_ name: String) -> OutboxEntry? { outbox.first { $0.identifier == name } }

    mutating func put(_ name: String, _ lane: Lane) {
      records[name] = lane.local
      put(name, lane.entry)
      discarded += lane.discarded.map { (name, $0) }
    }

    mutating func put(_ name: String, _ entry: OutboxEntry?) {
      let index = outbox.firstIndex { $0.identifier == name }
      switch (index, entry) {
      case (let index?, let entry?): outbox[index] = entry
      case (let index?, nil): outbox.remove(at: index)
      case (nil, let entry?): outbox.append(entry)
      case (nil, nil): break
      }
    }

    func lane(_ name: String) -> Lane { Lane(entry: entry(name), local: records[name]) }

    var schedule: Schedule {
      Schedule(
        outbox.map { entry in
          let parent = records[entry.identifier]?["parent"]?.stringValue
          return Schedule.Item(
            entry: entry, references: Set(parent.map { [OutboxEntry.recordIdentifier("Item", $0)] } ?? []))
        })
    }
  }

  let number: Int
  /// The difference of its clock from the right time.
  let skew: Int
  var mutant: Mutant?
  private(set) var durable = Durable()
  /// When the next attempt of a record is made. A killed process loses it.
  private var retries: [String: Int] = [:]
  private var keyCount = 0
  private(set) var commitCount = 0

  init(number: Int, skew: Int) { (self.number, self.skew) = (number, skew) }

  mutating func commit(_ network: inout SimulatedNetwork, _ change: (inout Durable) -> Void) throws {
    if network.kills() {
      retries = [:]
      throw Killed()
    }
    commitCount += 1
    change(&durable)
    if network.kills() {
      retries = [:]
      throw Killed()
    }
  }

  /// Writes records with one commit, as a store does.
  mutating func write(
    _ writes: [(name: String, record: AttributeDictionary?)], _ network: inout SimulatedNetwork
  ) throws {
    let group = writes.count > 1 ? network.identifier() : nil
    let now = network.time + skew
    try commit(&network) { durable in
      for (name, record) in writes {
        let old = durable.records[name]
        let kind: RecordOperation.Kind = old == nil ? .create : record == nil ? .delete : .update
        if let known = durable.entry(name) {
          durable.put(name, known.changed(by: kind, in: group))
        } else {
          var entry = OutboxEntry("Item", name, base: old, since: now)
          if let group { entry.groups = [group] }
          durable.put(name, entry)
        }
        durable.records[name] = record
      }
    }
  }

  /// Queues the parked entries again, as a person does after reading them.
  mutating func unpark() {
    for index in durable.outbox.indices { durable.outbox[index].isParked = false }
  }

  // MARK: Synchronising

  mutating func sync(_ network: inout SimulatedNetwork) throws {
    guard try pull(&network) else { return }
    try push(&network)
  }

  /// Returns false if the server was not reached.
  private mutating func pull(_ network: inout SimulatedNetwork) throws -> Bool {
    if network.server.hasChanges, let cursor = durable.cursor, cursor.epoch == network.server.epoch {
      var position: SimulatedServer.Stamp? = (
        mutant == .pullsWithoutOverlap ? cursor.time + 1 : cursor.time - SimulatedServer.lateness, ""
      )
      while true {
        guard let page = network.read({ $0.changes(after: position, atMost: 3) }) else { return false }
        try take(page.changes, (cursor.epoch, max(cursor.time, page.last?.time ?? 0)), &network)
        guard page.hasMore, let last = page.last else { break }
        position = last
      }
      if network.server.hasTombstones { return true }
      guard let names = network.read({ Set($0.state.records.keys) }) else { return false }
      try take(missing(names).map { ($0, nil) }, nil, &network)
      return true
    }
    if mutant == .dropsOutboxAtReset, durable.cursor != nil, network.server.hasChanges {
      try commit(&network) { $0.outbox = [] }
    }
    guard let all = network.read({ ($0.state.records, $0.epoch, $0.state.stamps.values.max() ?? 0) }) else {
      return false
    }
    let changes = all.0.sorted { $0.key < $1.key }.map { (name: $0.key, record: Optional($0.value)) }
    try take(changes + missing(Set(all.0.keys)).map { ($0, nil) }, (all.1, all.2), &network)
    return true
  }

  /// The records that the server had and has no more.
  private func missing(_ names: Set<String>) -> [String] {
    let known = Set(durable.records.keys).union(durable.outbox.map(\.identifier))
    return known.subtracting(names).filter { name in durable.entry(name).map { $0.base != nil } ?? true }.sorted()
  }

  private mutating func take(
    _ changes: [(name: String, record: AttributeDictionary?)], _ cursor: (epoch: Int, time: Int)?,
    _ network: inout SimulatedNetwork
  ) throws {
    try commit(&network) { [mutant] durable in
      for (name, record) in changes {
        var lane = durable.lane(name)
        switch mutant {
        case .refetchRevertsEdits: lane = Lane(entry: nil, local: record)
        case .revivesDeletedRecord where lane.local == nil: lane = Lane(entry: nil, local: record)
        case .skipsNewRecords where lane.local == nil && lane.entry == nil: continue
        default: lane.rebase(on: record)
        }
        if mutant == .overwritesWithoutNote { lane.discarded = [] }
        if mutant == .believesOldAnswer { lane.entry?.flight?.isOutdated = false }
        durable.put(name, lane)
      }
      if let cursor { durable.cursor = cursor }
    }
  }

  private mutating func push(_ network: inout SimulatedNetwork) throws {
    for _ in 0..<100 {
      let ready = durable.schedule.ready.map { String($0.dropFirst("Item/".count)) }
        .filter { retries[$0, default: 0] <= network.time }
      if ready.isEmpty { return }
      if mutant == .stopsAtFailingHead, durable.outbox.first?.isParked == true { return }
      for name in ready {
        if try !push(name, &network) { return }
      }
    }
  }

  /// Returns false if all lanes have to wait.
  private mutating func push(_ name: String, _ network: inout SimulatedNetwork) throws -> Bool {
    var lane = durable.lane(name)
    let isResumed = lane.entry?.flight != nil
    if isResumed, mutant == .blocksAfterCrash { return false }
    if isResumed, !network.server.hasKeys { return try read(name, after: .silence, &network) }
    keyCount += 1
    let key = "\(number)-\(keyCount)"
    guard let flight = lane.request({ key }) else {
      try commit(&network) { $0.put(name, lane) }
      return true
    }
    if !isResumed { try commit(&network) { $0.put(name, lane) } }
    let answer = network.push(name, flight)
    var next = lane.take(answer, hasKeys: network.server.hasKeys, random: network.fraction())
    mutate(&lane, &next, answer)
    try commit(&network) { $0.put(name, lane) }
    switch next {
    case .wait: retries[name] = nil
    case .retry(let delay): retries[name] = network.time + delay
    case .authenticate: return false
    case .read:
      let reason: Lane.ReadReason =
        switch answer {
        case .stored: .success
        case .refused: .refusal
        case .none, .unreadable: .silence
        }
      return try read(name, after: reason, &network)
    }
    return true
  }

  private mutating func mutate(_ lane: inout Lane, _ next: inout Lane.Next, _ answer: Lane.Answer) {
    switch (mutant, answer) {
    case (.dropsEntryOnTransientError, .refused(503, _, _)), (.dropsEntryWithoutAnswer, .none):
      (lane.entry, next) = (nil, .wait)
    case (.parksByText, .refused(_, let message, _)) where message.contains("400"):
      (lane.entry, next) = (nil, .wait)
    case (.dropsDependantsOfParkedEntry, _) where lane.entry?.isParked == true:
      let name = lane.entry?.identifier ?? ""
      for (child, record) in durable.records where record["parent"] == .string(name) { durable.put(child, nil) }
    default: break
    }
  }

  private mutating func read(_ name: String, after reason: Lane.ReadReason, _ network: inout SimulatedNetwork) throws
    -> Bool
  {
    guard let record = network.read({ [name] in $0.state.records[name] }) else {
      retries[name] = network.time + 1_000
      return true
    }
    var lane = durable.lane(name)
    lane.read(record, after: reason)
    if mutant == .overwritesWithoutNote { lane.discarded = [] }
    try commit(&network) { $0.put(name, lane) }
    retries[name] = nil
    return true
  }
}

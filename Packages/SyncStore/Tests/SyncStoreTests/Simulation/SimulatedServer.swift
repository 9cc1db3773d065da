import FieldKit

@testable import SyncStore

/// A model server of one tier: what it keeps, and how it answers.
struct SimulatedServer {
  typealias Stamp = (time: Int, name: String)

  /// A page of changes: nil records are tombstones.
  struct Page {
    var changes: [(name: String, record: AttributeDictionary?)]
    var last: Stamp?
    var hasMore: Bool
  }

  struct State {
    var records: [String: AttributeDictionary] = [:]
    var tombstones: Set<String> = []
    var stamps: [String: Int] = [:]
    var answers: [String: Lane.Answer] = [:]
  }

  /// The time that a commit may lie behind its stamp, and the overlap of pulls.
  static let lateness = 20

  let tier: Int
  var state = State()
  /// Rises when a backup is restored.
  private(set) var epoch = 0
  private var version = 0
  /// The records that were created again after a deletion. A server without tombstones can't tell.
  private(set) var recreated: Set<String> = []
  /// How often a request with a key took effect.
  private(set) var effects: [String: Int] = [:]
  /// All values that a member of a record ever had.
  private(set) var history: [String: Set<JSONValue>] = [:]

  var hasValidators: Bool { tier >= 1 }
  var hasChanges: Bool { tier >= 2 }
  var hasTombstones: Bool { tier >= 3 }
  var hasKeys: Bool { tier >= 4 }

  init(tier: Int) { self.tier = tier }

  func had(_ value: JSONValue, _ key: String, of name: String) -> Bool {
    history["\(name).\(key)"]?.contains(value) == true
  }

  mutating func push(_ name: String, _ flight: OutboxEntry.Flight, stamp: Int) -> Lane.Answer {
    if hasKeys, let answer = state.answers[flight.key] { return answer }
    let answer = apply(name, flight, stamp)
    if case .stored = answer {
      state.answers[flight.key] = answer
      effects[flight.key, default: 0] += 1
    }
    return answer
  }

  private mutating func apply(_ name: String, _ flight: OutboxEntry.Flight, _ stamp: Int) -> Lane.Answer {
    let known = state.records[name]
    if flight.isCreation {
      if known != nil { return .refused(status: 409) }
      if hasTombstones, state.tombstones.contains(name) { return .refused(status: 410) }
    } else {
      guard let known else { return .refused(status: 404) }
      if hasValidators, known[RecordMerge.validatorKey]?.stringValue != flight.validator {
        return .refused(status: 412)
      }
    }
    if flight.body["note"] == "poison" { return .refused(status: 422, message: "The note is poison.") }
    if let parent = flight.body["parent"]?.stringValue, state.records[parent] == nil {
      return .refused(status: 422, message: "The parent is not there.")
    }
    if flight.isCreation, state.tombstones.contains(name) { recreated.insert(name) }
    guard flight.record != nil else {
      remove(name, stamp)
      return .stored(nil)
    }
    put(name, (known ?? [:]).merging(flight.body) { $1 }, stamp)
    return .stored(state.records[name])
  }

  private mutating func put(_ name: String, _ record: AttributeDictionary, _ stamp: Int) {
    var record = record.filter { !$0.value.isNull }
    version += 1
    if hasValidators { record[RecordMerge.validatorKey] = .string("\(epoch).\(version)") }
    for (key, value) in record { history["\(name).\(key)", default: []].insert(value) }
    state.records[name] = record
    state.stamps[name] = stamp
  }

  private mutating func remove(_ name: String, _ stamp: Int) {
    state.records[name] = nil
    state.tombstones.insert(name)
    state.stamps[name] = stamp
    for (child, var record) in state.records.sorted(by: { $0.key < $1.key }) where record["parent"] == .string(name) {
      record["parent"] = nil
      put(child, record, stamp)
    }
  }

  mutating func restore(_ backup: State) {
    state = backup
    epoch += 1
  }

  func changes(after position: Stamp?, atMost limit: Int) -> Page {
    let all = state.stamps.map { (time: $0.value, name: $0.key) }.sorted { $0 < $1 }
    let rest = all.filter { stamp in position.map { stamp > $0 } ?? true }
      .filter { state.records[$0.name] != nil || hasTombstones }
    let page = rest.prefix(limit)
    return Page(
      changes: page.map { ($0.name, state.records[$0.name]) }, last: page.last, hasMore: rest.count > limit)
  }
}

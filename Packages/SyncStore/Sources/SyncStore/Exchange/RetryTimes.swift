@_spi(ModelKitInternals) import ModelCore

/// The times before which a background synchronisation does not repeat a request that failed: of entries and of types,
/// each for itself.
///
/// They belong to an engine and are not stored, so the next process makes an attempt at once.
struct RetryTimes: Sendable {
  /// A type whose records could not be listed.
  struct FailedType: Sendable {
    /// The number of failures since the last success.
    var failures: Int
    /// The uptime of the next attempt.
    var time: Int
  }

  /// The uptimes of the next attempts, by the names of the records of entries.
  private var entries: [ExactText: Int] = [:]
  /// The types whose lists failed temporarily, by name.
  private(set) var types: [String: FailedType] = [:]

  /// Returns whether an entry has to wait.
  func isDelayed(_ entry: OutboxEntry, at now: Int) -> Bool {
    entry.attempts > 0 && entries[entry.name].map { $0 > now } ?? false
  }

  /// The time of the first attempt at an entry; nil if none failed.
  var nextEntry: Int? { entries.values.min() }

  /// Delays an entry.
  mutating func delay(_ name: ExactText, until time: Int) { entries[name] = time }

  /// Delays a type whose list failed.
  mutating func delay(_ type: String, by delay: (_ failures: Int) -> Int, at now: Int) {
    let failures = (types[type]?.failures ?? 0) + 1
    types[type] = FailedType(failures: failures, time: now + delay(failures))
  }

  /// Ends the delay of a type.
  mutating func end(_ type: String) { types[type] = nil }

  /// Removes the times of entries that are not in the outbox any more. Entries that failed before and were not attempted
  /// now are delayed: they wait for others.
  mutating func keep(_ outbox: [OutboxEntry], at now: Int, delay: (_ attempts: Int) -> Int) {
    var kept: [ExactText: Int] = [:]
    for entry in outbox where !entry.isParked && entry.attempts > 0 {
      let known = entries[entry.name].flatMap { $0 > now ? $0 : nil }
      kept[entry.name] = known ?? now + delay(entry.attempts)
    }
    entries = kept
  }
}

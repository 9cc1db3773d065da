import FieldKit

/// The sync state of one dirty record, and its transitions: pure functions over values.
///
/// The caller commits the lane, the record and the discarded values together after each step.
struct Lane: Equatable {
  /// The outbox entry; nil if the record is clean.
  var entry: OutboxEntry?
  /// The local record; nil if it is deleted.
  var local: AttributeDictionary?
  /// The local values discarded in this step.
  var discarded: [RecordMerge.Discarded] = []

  /// An answer of the server to a push.
  enum Answer: Equatable {
    /// The request took effect. The record is the server's, nil after a deletion.
    case stored(AttributeDictionary?)
    /// The server rejected the request with this status.
    case refused(status: Int, message: String = "", fields: [String: [String]] = [:], retryAfter: Int? = nil)
    /// No response arrived, so the outcome is unknown.
    case none
    /// An answer arrived that can't be understood, so the outcome is unknown.
    case unreadable(String)
  }

  /// The reason to read the server's record.
  enum ReadReason: Equatable {
    /// The request took effect, but its answer may be outdated.
    case success
    /// The server rejected the request, so that it can't take effect any more.
    case refusal
    /// As a refusal, because the server has another version of the record, which may differ in unknown fields only.
    case otherVersion
    /// The outcome is unknown.
    case silence
    /// The answer can't be understood, so that the outcome is unknown, and an equal request would get an equal answer.
    case nonsense
  }

  /// The step that follows an answer.
  enum Next: Equatable {
    /// The lane waits for other lanes.
    case wait
    /// The server's record has to be read, and passed to ``read(_:after:)``.
    case read
    /// The same request is made again after at least this many milliseconds.
    case retry(after: Int)
  }

  /// A function that decides about conflicts.
  typealias Resolver = (SyncConflict) -> SyncResolution

  /// Returns the decision without a resolver.
  static func merging(_ conflict: SyncConflict) -> SyncResolution { .merge }

  /// Freezes the request to send; a request whose outcome is unknown is returned as it is.
  ///
  /// - Parameters:
  ///   - makeKey: makes an idempotency key.
  ///   - omitted: the key of a member that is not sent, such as a temporary identifier.
  ///   - visible: returns the part of the local record that the server can accept now, without references to records
  ///     that it lacks.
  /// - Returns: nil if there is nothing to send. The entry is removed then, unless a part of the record has to wait.
  mutating func request(
    _ makeKey: () -> String, omitting omitted: String? = nil,
    visible: (AttributeDictionary) -> AttributeDictionary = { $0 }
  ) -> OutboxEntry.Flight? {
    guard var entry, !entry.isParked else { return nil }
    if let flight = entry.flight { return flight }
    if RecordMerge.areEqual(entry.base, local) {
      self.entry = nil
      return nil
    }
    let sent = local.map(visible)
    if RecordMerge.areEqual(entry.base, sent) { return nil }
    var body: AttributeDictionary = [:]
    if let sent {
      for key in RecordMerge.changes(from: entry.base ?? [:], to: sent) where key != omitted {
        body[key] = sent[key] ?? .null
      }
    }
    let flight = OutboxEntry.Flight(key: makeKey(), record: sent, body: body, isCreation: entry.base == nil)
    entry.flight = flight
    self.entry = entry
    return flight
  }

  /// Removes a request that was not sent. A record that was deleted since needs none.
  mutating func withdraw(_ flight: OutboxEntry.Flight) {
    guard var entry, entry.flight?.key == flight.key else { return }
    entry.flight = nil
    self.entry = entry.base == nil && local == nil ? nil : entry
  }

  /// Takes the answer to the request in flight.
  ///
  /// - Parameters:
  ///   - answer: the answer.
  ///   - hasKeys: whether the server supports idempotency keys.
  ///   - random: a number from 0 to 1 for the jitter.
  ///   - resolve: decides about conflicts.
  mutating func take(_ answer: Answer, hasKeys: Bool, random: Double, resolve: Resolver = Self.merging) -> Next {
    guard var entry, let flight = entry.flight else { return .wait }
    switch answer {
    case .stored(let remote):
      if flight.isOutdated { return .read }
      complete(flight, remote, isAnswer: true, resolve)
      return .wait
    case .none:
      entry.attempts += 1
      entry.note("The server did not respond.")
      self.entry = entry
      return hasKeys ? .retry(after: Self.delay(entry.attempts, random)) : .read
    case .unreadable(let message):
      entry.attempts += 1
      entry.note(message)
      self.entry = entry
      return .read
    case .refused(let status, let message, let fields, let retryAfter):
      entry.note(message.isEmpty ? "The server responded with the status \(status)." : message, fields)
      switch status {
      case 409 where hasKeys && flight.isCreation && flight.isOutdated && entry.attempts < Self.repeatsOfConflicts:
        // The server may still process the first request with this key. Another key would create a second record.
        entry.attempts += 1
        self.entry = entry
        return .retry(after: max(Self.delay(entry.attempts, random), min(retryAfter ?? 0, Self.longestDelay)))
      case 404, 409, 410, 412:
        self.entry = entry
        return .read
      case 401:
        self.entry = entry
        return .wait
      case 400..<500 where ![408, 425, 429].contains(status) && entry.attempts > 0:
        // An earlier attempt may have taken effect.
        self.entry = entry
        return .read
      case 400..<500 where ![408, 425, 429].contains(status):
        entry.isParked = true
        // The server has not done it, so a correction is a request of its own.
        entry.flight = nil
        self.entry = entry
        return .wait
      default:
        if PlantedFault.isPlanted(.dropsRecordOnTransientError) {
          self.entry = nil
          return .wait
        }
        entry.attempts += 1
        self.entry = entry
        return .retry(after: max(Self.delay(entry.attempts, random), min(retryAfter ?? 0, Self.longestDelay)))
      }
    }
  }

  /// Takes the server's record, read since the request in flight was made, and decides from it whether that took
  /// effect.
  ///
  /// - Parameters:
  ///   - remote: the server's record; nil if there is none.
  ///   - reason: the reason to read it.
  ///   - resolve: decides about conflicts.
  mutating func read(
    _ remote: AttributeDictionary?, after reason: ReadReason, resolve: Resolver = Self.merging
  ) {
    guard var entry, let flight = entry.flight else { return }
    if reason == .success || flight.isReflected(in: remote) {
      return complete(flight, remote, isAnswer: false, resolve)
    }
    let isUnchanged = RecordMerge.areEqual(entry.base, remote)
    entry.flight = nil
    if reason == .silence || reason == .nonsense {
      if !flight.body.isEmpty, !entry.unsettled.contains(flight.body) { entry.unsettled.append(flight.body) }
    }
    if reason == .refusal, isUnchanged {
      // Another rule than that about versions: the same request would be rejected for ever.
      entry.isParked = true
      self.entry = entry
      return
    }
    // The server has the record from an earlier request, or from another client: a local deletion is not overlooked.
    if flight.isCreation, remote != nil { entry.base = [:] }
    self.entry = entry
    rebase(on: remote, resolve: resolve)
    if reason == .nonsense { park() }
  }

  /// Parks the entry until a person queues it again. A request whose outcome is unknown stays as it is.
  mutating func park() { entry?.isParked = true }

  /// Takes a version of the record that was pulled from the server.
  ///
  /// - Parameters:
  ///   - remote: the server's record; nil if there is none.
  ///   - resolve: decides about conflicts.
  mutating func rebase(on remote: AttributeDictionary?, resolve: Resolver = Self.merging) {
    guard var entry else {
      local = remote
      return
    }
    if entry.flight != nil {
      // Whether the server's record has the change or not is decided when the outcome is known.
      entry.flight?.isOutdated = true
      self.entry = entry
      return
    }
    // After damage it is not known whether the server had the record. One that it lacks is created.
    if entry.base?.isEmpty == true, remote == nil { entry.base = nil }
    var base = entry.base
    // An own value that arrived late is not a change of another client.
    for (key, value) in entry.unsettled.joined() where base != nil && remote?[key] == value { base?[key] = value }
    let merge = RecordMerge(base: base, local: local, remote: remote) { keys in
      resolve(entry.conflict(base: base, local: local, remote: remote, keys))
    }
    settle(entry, merge, remote)
  }

  /// Makes the server's record the base, and the merged record the local one; or keeps both until someone decides.
  private mutating func settle(_ entry: OutboxEntry, _ merge: RecordMerge, _ remote: AttributeDictionary?) {
    var entry = entry
    if merge.isDeferred {
      entry.conflict = OutboxEntry.Conflict(remote: remote)
      entry.isParked = true
      entry.note("The record was changed locally and on the server.")
      self.entry = entry
      return
    }
    if entry.conflict != nil {
      entry.conflict = nil
      entry.note(nil)
      entry.isParked = false
    }
    if !PlantedFault.isPlanted(.overwritesWithoutNote) { discarded += merge.discarded }
    local = merge.record
    entry.wasDeleted = (entry.wasDeleted || entry.base != nil) && remote == nil
    entry.base = remote
    self.entry = RecordMerge.areEqual(local, remote) ? nil : entry
    if self.entry == nil { local = remote }
  }

  /// Makes the server's record the base, and keeps the edits that were made since the request.
  ///
  /// - Parameters:
  ///   - flight: the request that took effect.
  ///   - remote: the server's record.
  ///   - isAnswer: whether the record is the answer to the request, so that where it differs, the server changed what
  ///     was sent.
  ///   - resolve: decides about conflicts.
  private mutating func complete(
    _ flight: OutboxEntry.Flight, _ remote: AttributeDictionary?, isAnswer: Bool, _ resolve: Resolver
  ) {
    guard var entry else { return }
    entry.flight = nil
    entry.unsettled = []
    entry.attempts = 0
    entry.note(nil)
    entry.isParked = false
    let old = entry.base
    if old != nil { entry.wasDeleted = true }
    entry.base = flight.record
    let merge = RecordMerge(
      base: flight.record, local: local, remote: remote, ownKeys: isAnswer ? Set(flight.body.keys) : [],
      keepsDeletion: isAnswer || flight.isReflected(in: remote)
    ) { keys in resolve(entry.conflict(base: flight.record, local: local, remote: remote, keys)) }
    settle(entry, merge, remote)
    if PlantedFault.isPlanted(.restoresBaseAfterPush), self.entry == nil, let old { local = old }
  }

  /// The number of failed attempts after which a creation that is sent again, and answered with 409, counts as rejected.
  static let repeatsOfConflicts = 5

  /// The longest time that a server can require, in milliseconds. Longer ones are mistakes of its configuration.
  static let longestDelay = 21_600_000

  /// Returns the milliseconds before another attempt: a random part of a delay that doubles up to five minutes.
  static func delay(_ attempts: Int, _ random: Double) -> Int {
    let limit = Double(min(300_000, 1_000 << min(attempts, 9)))
    return Int(limit / 2 + limit / 2 * random)
  }
}

extension OutboxEntry.Flight {
  /// Returns whether a record of the server has all that the request sends.
  func isReflected(in remote: AttributeDictionary?) -> Bool {
    guard record != nil else { return remote == nil }
    guard let remote else { return false }
    return body.allSatisfy { (remote[$0.key] ?? .null) == $0.value }
  }
}

import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The events that a background synchronisation waits for.
struct SyncSignals: Sendable {
  /// Whether the server can be reached, as far as is known.
  var isConnected = true
  /// Whether the source of connectivity reported a connection last.
  var isReportedConnected = true
  /// The number of times that a connection appeared.
  var connections = 0
  /// The number of hints that the server has changes.
  var hints = 0
  /// The number of times that the app's own call reached the server.
  var calls = 0
  /// The number of local commits.
  var commits = 0
  /// The number of commits of exchanges.
  var steps = 0
  /// The number of times that an instance registered a class.
  var registrations = 0
  /// The number of instances that were deallocated.
  var deallocations = 0

  /// Takes an element of the source of connectivity.
  mutating func report(isConnected: Bool) {
    if isConnected, !isReportedConnected { connections += 1 }
    (self.isConnected, isReportedConnected) = (isConnected, isConnected)
  }

  /// Returns whether a synchronisation is to be attempted before the end of a delay.
  func isReachable(after known: SyncSignals) -> Bool {
    connections != known.connections || calls != known.calls || hints != known.hints
  }

  /// Returns whether there may be something to send or to pull.
  func isNew(after known: SyncSignals) -> Bool {
    isReachable(after: known) || commits != known.commits || registrations != known.registrations
  }
}

extension SyncModelStore {
  /// Synchronises in the background: after local writes, when the connection returns, at hints, and when a type is due
  /// for a pull. It sleeps in between, until the task is cancelled or the store is deallocated.
  ///
  /// ```swift
  /// let (hints, hint) = AsyncStream.makeStream(
  ///   of: Void.self, bufferingPolicy: .bufferingNewest(1))
  /// let synchronization = Task { [weak store] in
  ///   await store?.keepSynchronized(
  ///     connectivity: monitor.isReachable, hints: hints)
  /// }
  /// hint.yield()  // where the app receives the notification
  /// ```
  ///
  /// It does not retain the store while it waits. A task that captures the store weakly therefore ends with it. Keep the
  /// store in a property of your own: if nothing else retains it, this returns at once.
  ///
  /// Without a connection it makes no attempt. After a failure it waits for a delay that doubles up to five minutes. If
  /// the server requires a time, it waits for that, at most six hours. A connection, a hint or a successful
  /// ``sync(comparingAll:)`` ends the wait. After such a call the server counts as reachable until a request fails or the
  /// source reports no connection. If the server fails to store a record or to list a type, only that one waits.
  /// ``status`` has the results.
  ///
  /// A hint means that the server may have changes, such as a push notification or an event of its change stream. All
  /// types are pulled then. Hints that arrive during a pull cause one more.
  ///
  /// - Parameters:
  ///   - connectivity: whether the server is reachable, with an element for each change; nil if that is not known.
  ///   - hints: an element for each time that the server may have changes; nil if there is no such source.
  ///   - interval: the time after which a type is pulled again without hints. ``SyncPolicy/refresh(after:)`` overrides it.
  public consuming func keepSynchronized(
    connectivity: (any AsyncSequence<Bool, Never> & Sendable)? = nil,
    hints: (any AsyncSequence<Void, Never> & Sendable)? = nil, every interval: Duration = .seconds(300)
  ) async {
    let signals = handle.signals
    let loop = BackgroundLoop(self, every: interval)
    await loop.run(beside: [
      { if let connectivity { await signals.follow(connectivity: connectivity) } },
      { if let hints { await signals.follow(hints: hints) } },
    ])
  }
}

/// The loop of a background synchronisation. It retains the store only during an attempt.
private final class BackgroundLoop<Local: RecordEngine> {
  /// The wait between two attempts.
  private struct Wait {
    /// The milliseconds after which it ends in any case; nil for no such time.
    var milliseconds: Int?
    /// Returns whether the signals end it. It is called while a lock is held.
    var isOver: (SyncSignals) -> Bool
  }

  private weak var store: SyncModelStore<Local>?
  private let signals: AwaitedState<SyncSignals>
  private let retryTimes: Lock<RetryTimes>
  private let environment: SyncEnvironment
  private let interval: Int
  private var failures = 0
  /// The signals of the last attempt, and those of the last one that reached the server.
  private var last, reached: SyncSignals

  init(_ store: SyncModelStore<Local>, every interval: Duration) {
    self.store = store
    signals = store.handle.signals
    retryTimes = store.handle.retryTimes
    environment = store.handle.options.environment
    self.interval = interval.milliseconds
    last = signals.withLock { $0 }
    reached = last
  }

  /// Synchronises until the task is cancelled or the store is deallocated, while signals of other sources arrive.
  func run(beside sources: [@Sendable () async -> Void]) async {
    await withTaskGroup(of: Void.self) { group in
      for source in sources { group.addTask { await source() } }
      await run()
      group.cancelAll()
    }
  }

  /// Synchronises until the task is cancelled or the store is deallocated.
  func run() async {
    while !Task.isCancelled, let wait = await attempt() { await end(of: wait) }
  }

  /// Synchronises once, if there is a connection.
  ///
  /// - Returns: the wait before the next attempt; nil if the store was deallocated, or the task cancelled.
  private func attempt() async -> Wait? {
    guard let store else { return nil }
    let known = signals.withLock { $0 }
    guard known.isConnected else { return Wait(isOver: \.isConnected) }
    // Attempts that failed without a connection may succeed now.
    if known.connections != last.connections { retryTimes.withLock { $0 = RetryTimes() } }
    last = known
    let (now, isHinted) = (environment.uptime(), known.hints != reached.hints)
    let failedTypes = retryTimes.withLock { $0.types }
    do {
      let report = try await store.sync(obeyingDelays: true) { type in
        if let failed = failedTypes[type] { return failed.time <= now }
        return isHinted || store.lastPulls[type].map { now - $0 >= refreshInterval(of: type, in: store) } ?? true
      }
      if report.isUnanswered {
        // A request for another record or type may have an answer.
        return wait(for: 0, afterFailureOf: store) { $0.isNew(after: known) }
      }
      (failures, reached) = (0, known)
      // Writes during the exchange may not have been sent yet.
      return Wait(milliseconds: untilNextAttempt(of: store)) { $0.isNew(after: known) }
    } catch {
      // A transport may report a cancellation of its own.
      if Task.isCancelled { return nil }
      let required = RemoteFault.storeError(error).refusal?.retryAfter.map { min($0.milliseconds, Lane.longestDelay) }
      // A signal during the attempt may have come too late for it.
      return wait(for: required ?? 0, afterFailureOf: store) { $0.isReachable(after: known) }
    }
  }

  /// Returns the wait after a failure, and adds the time of the next attempt to the status, if that is offline.
  private func wait(
    for required: Int, afterFailureOf store: SyncModelStore<Local>, until isOver: @escaping (SyncSignals) -> Bool
  ) -> Wait {
    failures += 1
    // A call of the app had reached the server although no connection was reported.
    let isConnected = signals.withLock { signals in
      signals.isConnected = signals.isReportedConnected
      return signals.isConnected
    }
    if !isConnected { return Wait { _ in true } }
    let delay = max(required, Lane.delay(failures, environment.random()))
    if case .offline(let since, _) = store.status.value {
      store.status.value = .offline(since: since, retryAt: Date(milliseconds: environment.now() + delay))
    }
    return Wait(milliseconds: delay, isOver: isOver)
  }

  private func refreshInterval(of type: String, in store: SyncModelStore<Local>) -> Int {
    store.policies[type]?.refreshInterval ?? interval
  }

  /// Returns the milliseconds until a type has to be read, or an entry to be sent again.
  private func untilNextAttempt(of store: SyncModelStore<Local>) -> Int {
    let now = environment.uptime()
    let (entry, failedTypes) = retryTimes.withLock { ($0.nextEntry, $0.types) }
    let pulls = store.types.map { name, _ in
      failedTypes[name]?.time ?? (store.lastPulls[name] ?? now) + refreshInterval(of: name, in: store)
    }
    let pull = pulls.min() ?? now + interval
    return max(0, min(pull, entry ?? pull) - now)
  }

  /// Waits until signals or the time end a wait, the task is cancelled, or the store is deallocated.
  private func end(of wait: Wait) async {
    await withTaskGroup(of: Void.self) { [signals, environment] group in
      let hasPassed = Lock(false)
      if let milliseconds = wait.milliseconds {
        group.addTask {
          try? await environment.sleep(milliseconds)
          hasPassed.withLock { $0 = true }
          for task in signals.change({ _ in }) { task.resume() }
        }
      }
      while true {
        let deallocations = signals.withLock { $0.deallocations }
        func isOver(_ signals: SyncSignals) -> Bool { hasPassed.withLock { $0 } || wait.isOver(signals) }
        if Task.isCancelled || store == nil || signals.withLock({ isOver($0) }) { break }
        await signals.wait(isolation: #isolation) { isOver($0) || $0.deallocations != deallocations }
      }
      group.cancelAll()
    }
  }
}

extension AwaitedState<SyncSignals> {
  /// Follows a source of connectivity. After its end, whether there is a connection is not known.
  fileprivate func follow(connectivity: some AsyncSequence<Bool, Never>) async {
    for await isConnected in connectivity { report(isConnected) }
    report(true)
  }

  private func report(_ isConnected: Bool) {
    for task in change({ $0.report(isConnected: isConnected) }) { task.resume() }
  }

  /// Follows a source of hints.
  fileprivate func follow(hints: some AsyncSequence<Void, Never>) async {
    for await _ in hints { for task in change({ $0.hints += 1 }) { task.resume() } }
  }
}

extension Duration {
  /// The duration in milliseconds, at most 30 million years of them, so that sums with a time do not overflow.
  var milliseconds: Int {
    Int(min(max(components.seconds, -1 << 50), 1 << 50)) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}

extension Date {
  /// Creates a date from the milliseconds since 1970, as records keep it.
  init(milliseconds: Int) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }

  /// The milliseconds since 1970.
  var milliseconds: Int { Int((timeIntervalSince1970 * 1_000).rounded()) }
}

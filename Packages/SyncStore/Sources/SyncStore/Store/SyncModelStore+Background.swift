import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The events that a background synchronisation waits for.
struct SyncSignals: Sendable {
  /// Whether the server can be reached, as far as is known.
  var isConnected = true
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

  /// The same signals with a connection.
  var connected: SyncSignals {
    var signals = self
    if !isConnected { signals.connections += 1 }
    signals.isConnected = true
    return signals
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
  /// Synchronises in the background until the task is cancelled: after local writes, when the connection returns, and
  /// when a type is due for a pull. It sleeps in between.
  ///
  /// ```swift
  /// let synchronization = Task {
  ///   await store.keepSynchronized(connectivity: monitor.isReachable)
  /// }
  /// ```
  ///
  /// Without a connection it makes no attempt. After a failure it waits for a delay that doubles up to five minutes. If
  /// the server requires a time, it waits for that, at most six hours. A connection or a successful ``sync()`` ends the
  /// wait. If the server fails to store a record or to list a type, only that one waits. ``status`` has the results.
  ///
  /// - Parameters:
  ///   - connectivity: whether the server is reachable, with an element for each change.
  ///   - interval: the time after which a type is pulled again. ``SyncPolicy/refresh(after:)`` overrides it.
  public func keepSynchronized(
    connectivity: some AsyncSequence<Bool, Never> & Sendable, every interval: Duration = .seconds(300)
  ) async {
    let signals = handle.signals
    await synchronizeRepeatedly(every: interval, beside: [{ await signals.follow(connectivity: connectivity) }])
  }

  /// Synchronises in the background as ``keepSynchronized(connectivity:every:)`` does, and pulls all types at each hint.
  ///
  /// A hint means that the server may have changes, such as a push notification or an event of its change stream. Those
  /// that arrive during a pull cause one more. A hint also ends the wait after a failure.
  ///
  /// ```swift
  /// let (hints, hint) = AsyncStream.makeStream(
  ///   of: Void.self, bufferingPolicy: .bufferingNewest(1))
  /// let synchronization = Task {
  ///   await store.keepSynchronized(connectivity: monitor.isReachable, hints: hints)
  /// }
  /// hint.yield()  // where the app receives the notification
  /// ```
  ///
  /// - Parameters:
  ///   - connectivity: whether the server is reachable, with an element for each change.
  ///   - hints: an element for each time that the server may have changes.
  ///   - interval: the time after which a type is pulled again without hints.
  public func keepSynchronized(
    connectivity: some AsyncSequence<Bool, Never> & Sendable, hints: some AsyncSequence<Void, Never> & Sendable,
    every interval: Duration = .seconds(300)
  ) async {
    let signals = handle.signals
    await synchronizeRepeatedly(
      every: interval,
      beside: [{ await signals.follow(connectivity: connectivity) }, { await signals.follow(hints: hints) }])
  }

  /// Synchronises in the background as ``keepSynchronized(connectivity:hints:every:)`` does, without a source of
  /// connectivity.
  ///
  /// - Parameters:
  ///   - hints: an element for each time that the server may have changes.
  ///   - interval: the time after which a type is pulled again without hints.
  public func keepSynchronized(
    hints: some AsyncSequence<Void, Never> & Sendable, every interval: Duration = .seconds(300)
  ) async {
    let signals = handle.signals
    await synchronizeRepeatedly(every: interval, beside: [{ await signals.follow(hints: hints) }])
  }

  /// Synchronises in the background as ``keepSynchronized(connectivity:every:)`` does, without a source of
  /// connectivity.
  ///
  /// - Parameter interval: the time after which a type is read again.
  public func keepSynchronized(every interval: Duration = .seconds(300)) async {
    await synchronizeRepeatedly(interval.milliseconds)
  }

  /// Synchronises until the task is cancelled, while signals of other sources arrive.
  private func synchronizeRepeatedly(every interval: Duration, beside sources: [@Sendable () async -> Void]) async {
    await withTaskGroup(of: Void.self) { group in
      for source in sources { group.addTask { await source() } }
      await synchronizeRepeatedly(interval.milliseconds)
      group.cancelAll()
    }
    // Without a source it is not known.
    for task in handle.signals.change({ $0.isConnected = true }) { task.resume() }
  }

  private func synchronizeRepeatedly(_ interval: Int) async {
    let (signals, environment) = (handle.signals, handle.options.environment)
    var failures = 0
    // The signals of the last attempt, and those of the last one that reached the server.
    var (last, reached) = (signals.withLock { $0 }, signals.withLock { $0 })
    while !Task.isCancelled {
      let known = signals.withLock { $0 }
      guard known.isConnected else {
        await wait(atMost: nil) { $0.isConnected }
        continue
      }
      // Attempts that failed without a connection may succeed now.
      if known.connections != last.connections { handle.retryTimes.withLock { $0 = RetryTimes() } }
      last = known
      let (now, isHinted) = (environment.uptime(), known.hints != reached.hints)
      let failedTypes = handle.retryTimes.withLock { $0.types }
      func isDue(_ type: String) -> Bool {
        if let failed = failedTypes[type] { return failed.time <= now }
        return isHinted || lastPulls[type].map { now - $0 >= refreshInterval(of: type, interval) } ?? true
      }
      do {
        let report = try await sync(obeyingDelays: true, where: isDue)
        if report.isUnanswered {
          failures += 1
          let delay = Lane.delay(failures, environment.random())
          showNextAttempt(after: delay)
          // A request for another record or type may have an answer.
          await wait(atMost: delay) { $0.isNew(after: known) }
          continue
        }
        (failures, reached) = (0, known)
        // Records that were written during the exchange may not be sent yet.
        await wait(atMost: untilNextAttempt(interval)) { $0.isNew(after: known) }
      } catch {
        // A transport may report a cancellation of its own.
        if Task.isCancelled { return }
        failures += 1
        let required = RemoteFault.storeError(error).refusal?.retryAfter.map { min($0.milliseconds, Lane.longestDelay) }
        let delay = max(required ?? 0, Lane.delay(failures, environment.random()))
        showNextAttempt(after: delay)
        let failed = signals.withLock { $0 }
        await wait(atMost: delay) { $0.isReachable(after: failed) }
      }
    }
  }

  /// Adds the time of the next attempt to the status, if that is offline.
  private func showNextAttempt(after delay: Int) {
    guard case .offline(let since, _) = status.value else { return }
    let time = Date(milliseconds: handle.options.environment.now() + delay)
    status.value = .offline(since: since, retryAt: time)
  }

  private func refreshInterval(of type: String, _ interval: Int) -> Int { policies[type]?.refreshInterval ?? interval }

  /// The milliseconds until a type has to be read, or an entry to be sent again.
  private func untilNextAttempt(_ interval: Int) -> Int {
    let now = handle.options.environment.uptime()
    let (entry, failedTypes) = handle.retryTimes.withLock { ($0.nextEntry, $0.types) }
    let pulls = types.map { name, _ in
      failedTypes[name]?.time ?? (lastPulls[name] ?? now) + refreshInterval(of: name, interval)
    }
    let pull = pulls.min() ?? now + interval
    return max(0, min(pull, entry ?? pull) - now)
  }

  /// Waits until a condition holds, a time has passed, or the task is cancelled.
  private func wait(atMost milliseconds: Int?, until condition: (SyncSignals) -> Bool) async {
    let (signals, environment) = (handle.signals, handle.options.environment)
    await withTaskGroup(of: Void.self) { group in
      let hasPassed = Lock(false)
      if let milliseconds {
        group.addTask {
          try? await environment.sleep(milliseconds)
          hasPassed.withLock { $0 = true }
          for task in signals.change({ _ in }) { task.resume() }
        }
      }
      func isOver(_ signals: SyncSignals) -> Bool { hasPassed.withLock { $0 } || condition(signals) }
      while !Task.isCancelled, !signals.withLock({ isOver($0) }) {
        await signals.wait(isolation: #isolation, until: isOver)
      }
      group.cancelAll()
    }
  }
}

extension AwaitedState<SyncSignals> {
  /// Follows a source of connectivity.
  fileprivate func follow(connectivity: some AsyncSequence<Bool, Never>) async {
    for await isConnected in connectivity {
      let tasks = change { signals in
        if isConnected { signals = signals.connected } else { signals.isConnected = false }
      }
      for task in tasks { task.resume() }
    }
    if Task.isCancelled { return }
    // Without a source it is not known.
    for task in change({ $0 = $0.connected }) { task.resume() }
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

import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The events that a background synchronisation waits for.
struct SyncSignals: Sendable {
  /// Whether the server can be reached, as far as is known.
  var isConnected = true
  /// The number of times that a connection appeared.
  var connections = 0
  /// The number of local commits.
  var commits = 0
  /// The number of commits of exchanges.
  var steps = 0
  /// The number of times that an instance registered a class.
  var registrations = 0
}

extension SyncModelStore {
  /// Synchronises in the background until the task is cancelled: after local writes, when the connection returns, and
  /// when a type was not pulled for an interval. It sleeps in between.
  ///
  /// ```swift
  /// let synchronization = Task { await store.keepSynchronized(connectivity: monitor.isReachable) }
  /// ```
  ///
  /// Without a connection it makes no attempt. After a failure it waits for a delay that doubles up to five minutes,
  /// for the time that the server requires, at most six hours, or for a connection. ``status`` has the results.
  ///
  /// - Parameters:
  ///   - connectivity: whether the server is reachable, with an element for each change.
  ///   - interval: the time after which a type is pulled again. ``SyncPolicy/refresh(after:)`` overrides it.
  public func keepSynchronized(
    connectivity: some AsyncSequence<Bool, Never> & Sendable, every interval: Duration = .seconds(300)
  ) async {
    let signals = handle.signals
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await isConnected in connectivity {
          let tasks = signals.change { signals in
            if isConnected, !signals.isConnected { signals.connections += 1 }
            signals.isConnected = isConnected
          }
          for task in tasks { task.resume() }
        }
      }
      await synchronizeRepeatedly(interval.milliseconds)
      group.cancelAll()
    }
    // Without a source it is not known.
    for task in signals.change({ $0.isConnected = true }) { task.resume() }
  }

  /// Synchronises in the background as ``keepSynchronized(connectivity:every:)`` does, without a source of
  /// connectivity.
  ///
  /// - Parameter interval: the time after which a type is read again.
  public func keepSynchronized(every interval: Duration = .seconds(300)) async {
    await synchronizeRepeatedly(interval.milliseconds)
  }

  private func synchronizeRepeatedly(_ interval: Int) async {
    let (signals, environment) = (handle.signals, handle.options.environment)
    var failures = 0
    while !Task.isCancelled {
      var known = signals.withLock { $0 }
      guard known.isConnected else {
        await wait(atMost: nil) { $0.isConnected }
        continue
      }
      var delay: Int?
      do {
        let now = environment.uptime()
        let report = try await sync { [lastPulls] type in
          lastPulls[type].map { now - $0 >= self.refreshInterval(of: type, interval) } ?? true
        }
        failures = report.hasRetries ? failures + 1 : 0
      } catch {
        // A transport may report a cancellation of its own.
        if Task.isCancelled { return }
        failures += 1
        delay = RemoteFault.storeError(error).refusal?.retryAfter.map { min($0.milliseconds, Self.longestDelay) }
      }
      if failures > 0 {
        let wait = max(delay ?? 0, Lane.delay(failures, environment.random()))
        if case .offline(let since, _) = status.value {
          status.value = .offline(since: since, retryAt: Date(milliseconds: environment.now() + wait))
        }
        known.connections = signals.withLock { $0.connections }
        await self.wait(atMost: wait) { [known] in $0.connections != known.connections }
      } else {
        // What was written during the exchange may not be sent yet.
        await wait(atMost: untilNextPull(interval)) { [known] in
          $0.commits != known.commits || $0.connections != known.connections
            || $0.registrations != known.registrations
        }
      }
    }
  }

  /// The longest time that a server can require, in milliseconds. Longer ones are mistakes of its configuration.
  private static var longestDelay: Int { 21_600_000 }

  private func refreshInterval(of type: String, _ interval: Int) -> Int { policies[type]?.refreshInterval ?? interval }

  /// The milliseconds until a type has to be read again.
  private func untilNextPull(_ interval: Int) -> Int {
    let now = handle.options.environment.uptime()
    return types.map { max(0, (lastPulls[$0.name] ?? now) + refreshInterval(of: $0.name, interval) - now) }.min()
      ?? interval
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

import Foundation
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The events that a background synchronisation waits for.
struct SyncSignals: Sendable {
  /// Whether the server can be reached, as far as is known.
  var isConnected = true
  /// The number of times that a connection appeared, or that the app's own call reached the server.
  var connections = 0
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
}

extension SyncModelStore {
  /// Synchronises in the background until the task is cancelled: after local writes, when the connection returns, and
  /// when a type was not pulled for an interval. It sleeps in between.
  ///
  /// ```swift
  /// let synchronization = Task { await store.keepSynchronized(connectivity: monitor.isReachable) }
  /// ```
  ///
  /// Without a connection it makes no attempt. After a failure it waits for a delay that doubles up to five minutes, or
  /// for the time that the server requires, at most six hours. A connection or a successful ``sync()`` ends the wait.
  /// If the server fails to store single records or to list single types, only these wait. ``status`` has the results.
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
            if isConnected { signals = signals.connected } else { signals.isConnected = false }
          }
          for task in tasks { task.resume() }
        }
        if Task.isCancelled { return }
        // Without a source it is not known.
        for task in signals.change({ $0 = $0.connected }) { task.resume() }
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
    // What failed alone waits until then, and everything else does not.
    var retry: (time: Int, types: Set<String>, connections: Int)?
    while !Task.isCancelled {
      let known = signals.withLock { $0 }
      guard known.isConnected else {
        await wait(atMost: nil) { $0.isConnected }
        continue
      }
      let now = environment.uptime()
      if let due = retry, due.time <= now || due.connections != known.connections { retry = nil }
      func isDue(_ type: String) -> Bool {
        if retry?.types.contains(type) == true { return false }
        return lastPulls[type].map { now - $0 >= refreshInterval(of: type, interval) } ?? true
      }
      do {
        let report = try await sync(retryingFailed: retry == nil, where: isDue)
        if !report.hasRetries {
          (failures, retry) = (0, nil)
        } else if retry == nil {
          failures += 1
          let failed = Set(types.map(\.name).filter(isDue))
          retry = (environment.uptime() + Lane.delay(failures, environment.random()), failed, known.connections)
        }
        // What was written during the exchange may not be sent yet.
        let retryDelay = retry.map { max(0, $0.time - environment.uptime()) } ?? .max
        await wait(atMost: min(retryDelay, untilNextPull(interval, except: retry?.types ?? []))) { [known] in
          $0.commits != known.commits || $0.connections != known.connections
            || $0.registrations != known.registrations
        }
      } catch {
        // A transport may report a cancellation of its own.
        if Task.isCancelled { return }
        failures += 1
        retry = nil
        let required = RemoteFault.storeError(error).refusal?.retryAfter.map { min($0.milliseconds, Self.longestDelay) }
        let delay = max(required ?? 0, Lane.delay(failures, environment.random()))
        if case .offline(let since, _) = status.value {
          status.value = .offline(since: since, retryAt: Date(milliseconds: environment.now() + delay))
        }
        let connections = signals.withLock { $0.connections }
        await wait(atMost: delay) { $0.connections != connections }
      }
    }
  }

  /// The longest time that a server can require, in milliseconds. Longer ones are mistakes of its configuration.
  private static var longestDelay: Int { 21_600_000 }

  private func refreshInterval(of type: String, _ interval: Int) -> Int { policies[type]?.refreshInterval ?? interval }

  /// The milliseconds until a type has to be read again.
  ///
  /// - Parameter failed: the types that wait for another time.
  private func untilNextPull(_ interval: Int, except failed: Set<String>) -> Int {
    let now = handle.options.environment.uptime()
    return types.filter { !failed.contains($0.name) }.map {
      max(0, (lastPulls[$0.name] ?? now) + refreshInterval(of: $0.name, interval) - now)
    }.min()
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

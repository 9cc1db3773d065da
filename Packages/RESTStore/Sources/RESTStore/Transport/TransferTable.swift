import Foundation
@_spi(ModelKitInternals) import StoreProtocol

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The exchanges of a session that are in progress. One timer for all of them ends those whose time is over. A timer
/// for each would cost a good part of a small request, and run on long after the answer.
final class TransferTable: Sendable {
  private struct Entry {
    let transfer: Transfer
    var deadline: ContinuousClock.Instant
    /// The maximum duration of a pause; nil if only the deadline counts.
    let pause: Duration?
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var timer: Task<Void, Never>?
    /// The instant at which the timer fires; nil if there is none.
    var alarm: ContinuousClock.Instant?
  }

  private let state = Lock(State())
  /// The longest time limit: clocks of the system count no further than a few centuries.
  static let longestTimeout = Duration.seconds(10 * 365 * 24 * 60 * 60)

  deinit {
    state.withLock { $0.timer?.cancel() }
  }

  /// - Parameters:
  ///   - timeout: the time limit.
  ///   - isForPauses: whether the limit is that of each pause, not of the whole exchange.
  func add(_ transfer: Transfer, for task: URLSessionTask, timeout: Duration, isForPauses: Bool = false) {
    let identifier = task.taskIdentifier
    let timeout = min(timeout, Self.longestTimeout)
    let deadline = ContinuousClock.now + timeout
    state.withLock { state in
      state.entries[identifier] = Entry(transfer: transfer, deadline: deadline, pause: isForPauses ? timeout : nil)
      if state.alarm.map({ deadline < $0 }) ?? true { setAlarm(at: deadline, &state) }
    }
  }

  func remove(_ task: URLSessionTask) {
    let identifier = task.taskIdentifier
    state.withLock { _ = $0.entries.removeValue(forKey: identifier) }
  }

  func transfer(for task: URLSessionTask) -> Transfer? {
    let identifier = task.taskIdentifier
    return state.withLock { $0.entries[identifier]?.transfer }
  }

  /// Returns the instant at which the time of a task is over.
  func deadline(of task: URLSessionTask) -> ContinuousClock.Instant? {
    let identifier = task.taskIdentifier
    return state.withLock { $0.entries[identifier]?.deadline }
  }

  /// Returns the transfer of a task that sent or received bytes, or the head of an answer, which ends a pause.
  func progressingTransfer(for task: URLSessionTask) -> Transfer? {
    let identifier = task.taskIdentifier
    return state.withLock { state in
      guard let entry = state.entries[identifier] else { return nil }
      if let pause = entry.pause { state.entries[identifier]?.deadline = .now + pause }
      return entry.transfer
    }
  }

  /// Sets the timer. If its exchanges end in the meantime it is kept: when it fires, it only sets the next one.
  private func setAlarm(at alarm: ContinuousClock.Instant, _ state: inout State) {
    state.timer?.cancel()
    state.alarm = alarm
    state.timer = Task { @concurrent [weak self] in
      guard (try? await Task.sleep(until: alarm, clock: .continuous)) != nil else { return }
      self?.ring(alarm)
    }
  }

  private func ring(_ alarm: ContinuousClock.Instant) {
    let late = state.withLock { state -> [Transfer] in
      // Another timer has replaced this one.
      guard state.alarm == alarm else { return [] }
      let late = state.entries.filter { $0.value.deadline <= alarm }
      for identifier in late.keys { state.entries[identifier] = nil }
      state.alarm = nil
      state.timer = nil
      if let next = state.entries.values.map(\.deadline).min() { setAlarm(at: next, &state) }
      return late.values.map(\.transfer)
    }
    for transfer in late { transfer.fail(URLError(.timedOut)) }
  }
}

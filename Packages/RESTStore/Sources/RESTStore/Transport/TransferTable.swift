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
    let deadline: ContinuousClock.Instant
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

  func add(_ transfer: Transfer, for task: URLSessionTask, timeout: Duration) {
    let identifier = task.taskIdentifier
    let deadline = ContinuousClock.now + min(timeout, Self.longestTimeout)
    state.withLock { state in
      state.entries[identifier] = Entry(transfer: transfer, deadline: deadline)
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

import Foundation
import StoreProtocol
import Synchronization

/// The check of a store that its users start, follow and stop. There is one at a time.
final class HealthCheck: Sendable {
  private enum State {
    case none, stopped
    case running(fraction: Double, task: Task<Void, Never>)
    case ended(problems: [String], date: Date, time: Duration)
    case failed(String)
  }

  let health: StoreHealth
  private let state = Mutex<(number: Int, state: State)>((0, .none))

  init(_ health: StoreHealth) { self.health = health }

  /// Starts a check, unless one is running.
  func start() {
    state.withLock { current in
      if case .running = current.state { return }
      current.number += 1
      let number = current.number
      current.state = .running(fraction: 0, task: Task { await self.run(number) })
    }
  }

  /// Stops the check that is running.
  func stop() {
    state.withLock { current in
      guard case .running(_, let task) = current.state else { return }
      task.cancel()
      current = (current.number + 1, .stopped)
    }
  }

  private func run(_ number: Int) async {
    let start = ContinuousClock.now
    let end: State
    do {
      let problems = try await health.check { [weak self] in self?.advance(number, to: $0) }
      end = .ended(problems: problems, date: Date(), time: ContinuousClock.now - start)
    } catch {
      end = .failed((error as? ModelStoreError)?.message ?? "The check failed. The server's output has the reason.")
    }
    // A check that was stopped has no result.
    state.withLock { if $0.number == number { $0.state = end } }
  }

  private func advance(_ number: Int, to fraction: Double) {
    state.withLock { current in
      guard current.number == number, case .running(_, let task) = current.state else { return }
      current.state = .running(fraction: fraction, task: task)
    }
  }

  var json: JSONValue {
    state.withLock { current in
      switch current.state {
      case .none: ["state": "none"]
      case .stopped: ["state": "stopped"]
      case .running(let fraction, _): ["state": "running", "percent": .int(Int(fraction * 100))]
      case .failed(let message): ["state": "failed", "message": .string(message)]
      case .ended(let problems, let date, let time):
        [
          "state": "ended", "problems": .array(problems.map { .string($0) }),
          "date": .string(date.formatted(.iso8601)), "milliseconds": .int(Int(time / .milliseconds(1))),
        ]
      }
    }
  }
}

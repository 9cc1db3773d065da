@_spi(ModelKitInternals) import FieldKit

@testable import SyncStore

/// A clock that stands still until a test moves it.
final class ManualClock: Sendable {
  private struct State: Sendable {
    var time = 0
    var nextID = 0
    var sleepers: [Int: (end: Int, continuation: CheckedContinuation<Void, any Error>)] = [:]
  }

  private let state = Lock(State())
  private let sleeps = AsyncStream.makeStream(of: Int.self)

  /// An environment with this clock, and without chance.
  var environment: SyncEnvironment {
    SyncEnvironment(
      now: { self.time }, random: { 1 }, uptime: { self.time }, sleep: { try await self.sleep($0) })
  }

  var time: Int { state.withLock { $0.time } }

  /// The number of sleeps in progress.
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Moves the clock, and ends the sleeps that are over.
  func advance(_ milliseconds: Int) {
    let ended = state.withLock { state in
      state.time += milliseconds
      let ended = state.sleepers.filter { $0.value.end <= state.time }
      for id in ended.keys { state.sleepers[id] = nil }
      return ended.values.map(\.continuation)
    }
    for continuation in ended { continuation.resume() }
  }

  /// Waits for the next sleep that begins, and returns its length.
  func nextSleep() async -> Int? {
    for await sleep in sleeps.stream { return sleep }
    return nil
  }

  private func sleep(_ milliseconds: Int) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = Task.isCancelled
        state.withLock { state in
          if !isCancelled { state.sleepers[id] = (state.time + milliseconds, continuation) }
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        sleeps.continuation.yield(milliseconds)
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
    }
  }
}

extension SyncOptions {
  /// Creates options with a clock and sources of random values.
  init(environment: SyncEnvironment) {
    self.init()
    self.environment = environment
  }
}

import Dispatch
@_spi(ModelKitInternals) import ModelCore

/// Runs the tasks of an actor job by job, from one suspension point to the next, and holds back one job, or some
/// at random.
///
/// A job that is held back at random runs once no other waits. A held job of a writer runs once no job of an
/// observer waits. A held job of an observer runs once the writer has run two more jobs, or has ended. Tasks of
/// high priority are writers, all others observers.
final class TurnExecutor: SerialExecutor {
  /// A job to hold back.
  enum Held: Hashable, Sendable, CustomStringConvertible {
    case writer(Int)
    case observer(Int)

    var description: String {
      switch self {
      case .writer(let number): "piece \(number) of the writer is held back"
      case .observer(let number): "piece \(number) of the observers is held back"
      }
    }
  }

  private struct State {
    /// Whether jobs are counted and held back.
    var isPlaying = false
    var counts = (writer: 0, observer: 0)
    /// The source of randomness, if jobs are held back at random.
    var random: RandomSource?
    /// The jobs that are held back at random.
    var deferred: [UnownedJob] = []
    /// The number of jobs that wait to be run.
    var waiting = 0
    /// The number of jobs of observers that wait to be run.
    var waitingObservers = 0
    var heldJob: UnownedJob?
    /// The number of jobs of the writer that a held observer waits for.
    var turnsToWait = 0
    var wasHeld = false
  }

  private let queue = DispatchQueue(label: "TurnExecutor")
  private let state: Lock<State>
  private let held: Held?

  init(holding held: Held) {
    self.held = held
    state = Lock(State())
  }

  init(holdingAtRandom random: RandomSource) {
    held = nil
    state = Lock(State(random: random))
  }

  /// Whether there was a job of that number.
  var hasHeld: Bool { state.withLock { $0.wasHeld } }

  func enqueue(_ job: consuming ExecutorJob) {
    let isWriter = job.priority.rawValue >= TaskPriority.high.rawValue
    let job = UnownedJob(job)
    state.withLock { state in
      state.waiting += 1
      if !isWriter { state.waitingObservers += 1 }
    }
    queue.async { [self] in
      let isHeld = state.withLock { state in
        state.waiting -= 1
        if !isWriter { state.waitingObservers -= 1 }
        if state.random != nil {
          let isDeferred = (state.random?.next() ?? 0) % 3 == 0
          if isDeferred { state.deferred.append(job) }
          return isDeferred
        }
        guard state.isPlaying else { return false }
        let number = isWriter ? state.counts.writer : state.counts.observer
        if isWriter { state.counts.writer += 1 } else { state.counts.observer += 1 }
        guard held == (isWriter ? .writer(number) : .observer(number)) else { return false }
        state.wasHeld = true
        state.heldJob = job
        state.turnsToWait = 2
        return true
      }
      if !isHeld { run(job) }
      runDeferred()
      let released = state.withLock { state -> UnownedJob? in
        guard let job = state.heldJob else { return nil }
        if case .observer? = held {
          if isWriter { state.turnsToWait -= 1 }
          if state.turnsToWait > 0 { return nil }
        } else if state.waitingObservers > 0 {
          return nil
        }
        state.heldJob = nil
        return job
      }
      if let released { run(released) }
    }
  }

  /// Counts jobs from now on: all tasks are there.
  func begin() { state.withLock { $0.isPlaying = true } }

  /// Holds no job back from now on, and runs those that wait: the writer has ended.
  func end() {
    let job = state.withLock { state in
      defer { state.heldJob = nil }
      state.isPlaying = false
      return state.heldJob
    }
    if let job { queue.async { self.run(job) } }
  }

  /// Runs jobs that were held back at random, as long as no other waits.
  private func runDeferred() {
    while let job = state.withLock({ state -> UnownedJob? in
      guard state.waiting == 0, !state.deferred.isEmpty, var random = state.random else { return nil }
      let index = Int.random(in: state.deferred.indices, using: &random)
      state.random = random
      return state.deferred.remove(at: index)
    }) {
      run(job)
    }
  }

  private func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }
}

@_spi(ModelKitInternals) import FieldKit

/// The tasks that do something one after the other for each key, such as the saves of one model.
///
/// ```swift
/// try await turns.begin(id)
/// defer { turns.end(id) }
/// ```
///
/// Tasks have their turns in the order in which they began to wait. A task that ends its turn passes it on at once, so
/// that a loop of turns does not overtake the tasks that wait.
@_spi(ModelKitInternals)
public struct Turns<Key: Hashable & Sendable>: Sendable {
  /// The queues of the keys whose turn a task has.
  private let queues = Lock<[Key: TurnQueue]>([:])

  /// Creates turns that no task has.
  public init() {}

  /// Returns whether no task has the turn of a key.
  public func isFree(_ key: Key) -> Bool { queues.withLock { $0[key] == nil } }

  /// Begins the turn of a key if no task has it.
  ///
  /// - Returns: whether it began.
  public func beginImmediately(_ key: Key) -> Bool {
    queues.withLock { queues in
      if queues[key] != nil { return false }
      queues[key] = TurnQueue()
      return true
    }
  }

  /// Begins the turn of a key, after all tasks that wait for it.
  ///
  /// - Returns: whether it waited.
  /// - Throws: ``ModelStoreError`` with the code `cancelled` if the task is cancelled while it waits.
  /// - Complexity: O(1).
  @discardableResult
  public func begin(_ key: Key, isolation actor: isolated (any Actor)? = #isolation) async throws -> Bool {
    let number = queues.withLock { queues -> UInt64? in
      if queues[key] != nil { return queues[key]?.add() }
      queues[key] = TurnQueue()
      return nil
    }
    guard let number else { return false }
    let isNext = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome = queues.withLock {
          $0[key]?.suspend(number, continuation, isCancelled: Task.isCancelled)
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      queues.withLock { $0[key]?.remove(number) }?.resume(returning: false)
    }
    if isNext, !Task.isCancelled { return true }
    if isNext { end(key) }
    throw Self.cancelled
  }

  /// Waits until no task has the turn of a key, and none waits for it.
  ///
  /// - Throws: ``ModelStoreError`` with the code `cancelled` if the task is cancelled while it waits.
  public func waitUntilFree(_ key: Key, isolation actor: isolated (any Actor)? = #isolation) async throws {
    // A task that waits here takes no turn: two of them would pass it to each other for ever. Another task can begin a
    // turn before this one is resumed.
    while let isFree = queues.withLock({ $0[key]?.awaitedEnd() }) {
      await isFree.wait(isolation: actor) { $0 }
      if Task.isCancelled { throw Self.cancelled }
    }
  }

  /// Ends the turn of a key: the task that has waited longest has it now. The key is free if none waits.
  public func end(_ key: Key) {
    var isFree: AwaitedState<Bool>?
    let next = queues.withLock { queues in
      let next = queues[key]?.next()
      if next == nil { isFree = queues.removeValue(forKey: key)?.isFree }
      return next
    }
    if case .suspended(let task) = next { task.resume(returning: true) }
    for task in isFree?.change({ $0 = true }) ?? [] { task.resume() }
  }

  private static var cancelled: ModelStoreError {
    ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.")
  }
}

/// The tasks that wait for a turn that another one has, in their order.
private struct TurnQueue: Sendable {
  enum Entry: Sendable {
    /// The task is about to be suspended.
    case arriving
    case suspended(CheckedContinuation<Bool, Never>)
  }

  /// Whether the queue has ended; nil if no task waits for that.
  private(set) var isFree: AwaitedState<Bool>?
  private var waiting: [UInt64: Entry] = [:]
  private var first: UInt64 = 0
  private var count: UInt64 = 0
  /// The task that got the turn before it was suspended.
  private var arrivingNext: UInt64?

  /// Returns a state that becomes true when the queue ends.
  mutating func awaitedEnd() -> AwaitedState<Bool> {
    let state = isFree ?? AwaitedState(false)
    isFree = state
    return state
  }

  /// Adds a task at the end, and returns its number.
  mutating func add() -> UInt64 {
    waiting[count] = .arriving
    count += 1
    return count - 1
  }

  /// Suspends a task.
  ///
  /// - Returns: nil if it waits; otherwise whether it has the turn.
  mutating func suspend(
    _ number: UInt64, _ task: CheckedContinuation<Bool, Never>, isCancelled: Bool
  ) -> Bool? {
    if arrivingNext == number {
      arrivingNext = nil
      return true
    }
    // The cancellation found no task to resume.
    waiting[number] = isCancelled ? nil : .suspended(task)
    return isCancelled ? false : nil
  }

  /// Removes a task that was cancelled, and returns it if it is suspended.
  mutating func remove(_ number: UInt64) -> CheckedContinuation<Bool, Never>? {
    guard case .suspended(let task)? = waiting[number] else { return nil }
    waiting[number] = nil
    return task
  }

  /// Removes the task that has the turn next.
  mutating func next() -> Entry? {
    while first < count {
      defer { first += 1 }
      guard let entry = waiting.removeValue(forKey: first) else { continue }
      if case .arriving = entry { arrivingNext = first }
      return entry
    }
    return nil
  }
}

import ObservationKit

/// A task of the main actor that keeps the values it gets. Between two of them it never leaves the actor: whoever sees
/// a value in ``received`` there knows that the task waits for the next one.
@MainActor
final class ValuesConsumer<Value: Sendable & Equatable> {
  private(set) var received: [Value] = []
  private(set) var hasEnded = false
  private var task: Task<Void, Never>?

  init(_ values: ObservedValues<Value>, onValue: @escaping @MainActor (Value) -> Void = { _ in }) {
    task = Task { [weak self] in
      for await value in values {
        self?.received.append(value)
        onValue(value)
      }
      self?.hasEnded = true
    }
  }

  func cancel() { task?.cancel() }

  /// Lets other tasks run until a value was received, which is the last one then.
  func reaches(_ value: Value) async {
    while received.last != value, !hasEnded { await Task.yield() }
  }

  func ends() async { await task?.value }
}

/// A value whose end can be seen.
final class Keepsake: Sendable, Equatable {
  let number: Int
  private let farewell: @Sendable () -> Void

  init(_ number: Int, farewell: @escaping @Sendable () -> Void = {}) {
    self.number = number
    self.farewell = farewell
  }

  deinit { farewell() }

  static func == (left: Keepsake, right: Keepsake) -> Bool { left.number == right.number }
}

/// A consumer of another isolation.
actor ValuesStation {
  private(set) var received: [Int] = []

  func follow(_ values: ObservedValues<Int>) async -> [Int] {
    for await value in values { received.append(value) }
    return received
  }

  func reaches(_ value: Int) async {
    while received.last != value { await Task.yield() }
  }
}

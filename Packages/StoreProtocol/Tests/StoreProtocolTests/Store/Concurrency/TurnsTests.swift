@_spi(ModelKitInternals) import StoreProtocol
import Synchronization
import Testing

@Suite struct `Turns of tasks` {
  @Test func `One task at a time has the turn of a key, even if others are cancelled while they wait`() async {
    let turns = Turns<Int>()
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<60 {
        group.addTask {
          let task = Task {
            for round in 0..<20 {
              let key = (number + round) % 2
              try await turns.begin(key)
              #expect(counts.begin(key) == 1)
              if round % 3 == 0 { await Task.yield() }
              counts.end(key)
              turns.end(key)
            }
          }
          for _ in 0..<number { await Task.yield() }
          if number % 3 == 0 { task.cancel() }
          if case .failure(let error) = await task.result {
            #expect((error as? ModelStoreError)?.code == .cancelled)
            counts.cancelled.add(1, ordering: .relaxed)
          }
        }
      }
    }
    #expect(counts.ended.load(ordering: .relaxed) >= 40 * 20)
    #expect(counts.cancelled.load(ordering: .relaxed) <= 20)
    for key in 0..<2 { #expect(turns.beginImmediately(key)) }
  }

  @Test @MainActor func `Tasks have their turns in the order in which they wait`() async throws {
    let turns = Turns<Int>()
    try await turns.begin(0)
    var order: [Int] = []
    var waiting = 0
    let tasks = (0..<50).map { number in
      Task { @MainActor in
        waiting += 1
        try await turns.begin(0)
        order.append(number)
        turns.end(0)
        // It is behind all others that wait.
        if number < 10 {
          try await turns.begin(0)
          order.append(100 + number)
          turns.end(0)
        }
      }
    }
    while waiting < 50 { await Task.yield() }
    for number in stride(from: 5, to: 50, by: 5) { tasks[number].cancel() }
    turns.end(0)
    for task in tasks { _ = await task.result }
    let first = (0..<50).filter { $0 == 0 || $0 % 5 != 0 }
    #expect(order == first + first.filter { $0 < 10 }.map { $0 + 100 })
  }

  @Test @MainActor func `Tasks that wait until a key is free go on once all turns have ended`() async throws {
    let turns = Turns<Int>()
    try await turns.begin(0)
    var order: [String] = []
    var waiting = 0
    let observers = (0..<3).map { number in
      Task { @MainActor in
        waiting += 1
        try await turns.waitUntilFree(0)
        #expect(turns.isFree(0))
        order.append("free")
      }
    }
    let next = Task { @MainActor in
      waiting += 1
      try await turns.begin(0)
      order.append("turn")
      turns.end(0)
    }
    while waiting < 4 { await Task.yield() }
    observers[1].cancel()
    await #expect(throws: ModelStoreError.self) { try await observers[1].value }
    #expect(order.isEmpty)
    turns.end(0)
    for task in [observers[0], observers[2], next] { try await task.value }
    #expect(order == ["turn", "free", "free"])
  }
}

/// The turns of two keys.
private final class Counts: Sendable {
  let ended = Atomic(0)
  let cancelled = Atomic(0)
  private let first = Atomic(0)
  private let second = Atomic(0)

  /// Returns the number of tasks that have the turn of a key, including the running one.
  func begin(_ key: Int) -> Int {
    key == 0 ? first.add(1, ordering: .relaxed).newValue : second.add(1, ordering: .relaxed).newValue
  }

  func end(_ key: Int) {
    if key == 0 { first.subtract(1, ordering: .relaxed) } else { second.subtract(1, ordering: .relaxed) }
    ended.add(1, ordering: .relaxed)
  }
}

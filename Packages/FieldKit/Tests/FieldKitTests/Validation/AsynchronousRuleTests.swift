@_spi(ModelKitInternals) import FieldKit
import Testing

@MainActor
@Suite struct `Asynchronous rules` {
  @Test func `A field is validating until the answer, and valid or invalid after it`() async {
    let answers = Answers()
    let name = Field<String>().require(code: "taken", message: "is taken") { await answers.next(for: $0) }
    name.value = "ada"
    #expect(name.validate() == .unknown)
    let task = Task { await name.validateFully() }
    await answers.arrival(of: "ada")
    #expect(name.validationState == .validating)
    #expect(name.validate() == .validating)
    answers.give(false, for: "ada")
    #expect(await task.value == .invalid(["is taken"]))
    #expect(name.violations.map(\.code) == ["taken"])
    #expect(name.validate() == .invalid(["is taken"]))
    name.value = "bob"
    #expect(name.validationState == .unknown)
  }

  @Test func `A violated synchronous rule wins, and nothing is checked`() async {
    let answers = Answers()
    let name = Field("").require(.notBlank).require(code: "taken") { await answers.next(for: $0) }
    #expect(await name.validateFully() == .invalid(["cannot be blank"]))
    #expect(answers.requests.isEmpty)
  }

  @Test func `A missing value passes without a check`() async {
    let answers = Answers()
    let name = Field<String>().require(code: "taken") { await answers.next(for: $0) }
    #expect(await name.validateFully() == .valid)
    #expect(name.validate() == .valid)
    #expect(answers.requests.isEmpty)
  }

  @Test func `A value is checked once`() async {
    let answers = Answers(automatic: { _ in true })
    let name = Field("ada").require(code: "taken") { await answers.next(for: $0) }
    #expect(await name.validateFully() == .valid)
    #expect(await name.validateFully() == .valid)
    name.value = "ada"
    #expect(name.validate() == .valid)
    #expect(answers.requests == ["ada"])
  }

  @Test func `Callers that wait for one value share a check`() async {
    let answers = Answers()
    let name = Field("ada").require(code: "taken") { await answers.next(for: $0) }
    let tasks = [Task { await name.validateFully() }, Task { await name.validateFully() }]
    await answers.arrival(of: "ada")
    for _ in 0..<10 { await Task.yield() }
    answers.give(true, for: "ada")
    for task in tasks { #expect(await task.value == .valid) }
    #expect(answers.requests == ["ada"])
  }

  @Test func `A late answer for an older value is discarded`() async {
    let answers = Answers()
    let name = Field("ada").require(code: "taken", message: "is taken") { await answers.next(for: $0) }
    let first = Task { await name.validateFully() }
    await answers.arrival(of: "ada")
    name.value = "bob"
    let second = Task { await name.validateFully() }
    await answers.arrival(of: "bob")
    answers.give(true, for: "bob")
    #expect(await second.value == .valid)
    answers.give(false, for: "ada")
    #expect(await first.value == .valid)
    #expect(name.validationState == .valid)
  }

  @Test func `A change during a check makes the waiting caller check the new value`() async {
    let answers = Answers()
    let name = Field("ada").require(code: "taken", message: "is taken") { await answers.next(for: $0) }
    let task = Task { await name.validateFully() }
    await answers.arrival(of: "ada")
    name.value = "bob"
    answers.give(true, for: "ada")
    await answers.arrival(of: "bob")
    answers.give(false, for: "bob")
    #expect(await task.value == .invalid(["is taken"]))
  }

  @Test func `A test that throws makes the field invalid until it is checked again`() async {
    struct Offline: Error {}
    let isOffline = Flag(true)
    let name = Field("ada").require(code: "taken") { _ in
      if isOffline.value { throw Offline() }
      return true
    }
    #expect(await name.validateFully() == .invalid(["could not be checked: Offline()"]))
    #expect(name.violations.first?.detail == "unchecked")
    isOffline.value = false
    #expect(await name.validateFully() == .valid)
  }

  @Test func `A message with the value of a sensitive field is redacted`() async {
    struct Refused: Error, CustomStringConvertible { let description: String }
    let secret = Field("hunter2", sensitive: true).require(code: "weak") { value in
      throw Refused(description: "refused \(value)")
    }
    let state = await secret.validateFully()
    #expect(state.isInvalid)
    #expect(!state.messages.joined().contains("hunter2"))
  }

  @Test func `A cancelled caller leaves the field unknown, and does not end the wait of another`() async {
    let answers = Answers()
    let name = Field("ada").require(code: "taken") { await answers.next(for: $0) }
    let first = Task { await name.validateFully() }
    let second = Task { await name.validateFully() }
    await answers.arrival(of: "ada")
    for _ in 0..<10 { await Task.yield() }
    first.cancel()
    answers.give(false, for: "ada")
    _ = await first.value
    await answers.arrival(of: "ada", count: 2)
    answers.give(true, for: "ada")
    #expect(await second.value == .valid)
    #expect(name.validationState == .valid)
  }

  @Test func `Rules of elements name the index of the element`() async {
    let tags = ArrayField(Field<String>().require(code: "unknown", message: "is unknown") { $0.hasPrefix("a") })
    tags.value = ["ab", "cd", "ae"]
    #expect(tags.validate() == .unknown)
    #expect(await tags.validateFully() == .invalid(["[1] is unknown"]))
    tags.value = []
    #expect(tags.validate() == .valid)
  }

  @Test func `A violation that is added during a check stays`() async {
    let answers = Answers()
    let name = Field("ada").require(code: "taken") { await answers.next(for: $0) }
    let task = Task { await name.validateFully() }
    await answers.arrival(of: "ada")
    name.addValidationError("is refused")
    answers.give(true, for: "ada")
    #expect(await task.value == .invalid(["is refused"]))
  }

  @Test func `Observers of the state are notified of each step`() async {
    let name = Field("ada").require(code: "taken", message: "is taken") { _ in false }
    let recorder = Recorder<ValidationState>()
    name.validationStates --> recorder
    await name.validateFully()
    #expect(recorder.values.suffix(2) == [.validating, .invalid(["is taken"])])
  }

  @Test func `Changes are validated once they have rested`() async {
    let (answers, clock) = (Answers(), ManualClock())
    let name = Field<String>().require(.notBlank).require(code: "taken") { await answers.next(for: $0) }
    let loop = Task { await name.validateChanges(after: .seconds(1), clock: clock) }
    while !name.isObserved { await Task.yield() }
    name.value = "a"
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(900))
    name.value = "ad"
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(900))
    #expect(answers.requests.isEmpty)
    clock.advance(by: .milliseconds(100))
    await answers.arrival(of: "ad")
    #expect(name.validationState == .validating)
    answers.give(true, for: "ad")
    while name.validationState == .validating { await Task.yield() }
    #expect(name.validationState == .valid)
    #expect(answers.requests == ["ad"])
    name.value = ""
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    while name.validationState == .unknown { await Task.yield() }
    #expect(name.validationState == .invalid(["cannot be blank"]))
    loop.cancel()
    await loop.value
    #expect(!name.isObserved)
  }

  @Test(arguments: 0..<20)
  func `Any order of answers ends as validating the last value does`(seed: UInt64) async {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let answers = Answers()
      let number = Field<Int>().require(.range(0...)).require(code: "odd", message: "is odd") {
        await answers.next(for: "\($0)")
      }
      var tasks: [Task<ValidationState, Never>] = []
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: number.value = Int.random(in: -1...3, using: &random)
        case 1: tasks.append(Task { await number.validateFully() })
        case 2:
          if let open = answers.open.randomElement(using: &random) { answers.give(Int(open)! % 2 == 0, for: open) }
        default: await Task.yield()
        }
      }
      let last = Task { await number.validateFully() }
      let all = tasks + [last]
      var isDone = false
      Task {
        for task in all { _ = await task.value }
        isDone = true
      }
      while !isDone {
        if let open = answers.open.randomElement(using: &random) { answers.give(Int(open)! % 2 == 0, for: open) }
        await Task.yield()
      }
      let expected: ValidationState =
        switch number.value {
        case nil: .valid
        case .some(..<0): .invalid(["must be greater than or equal to 0"])
        case let value?: value % 2 == 0 ? .valid : .invalid(["is odd"])
        }
      #expect(await last.value == expected)
      #expect(number.validationState == expected)
    }
  }
}

extension Field {
  fileprivate var isObserved: Bool { !observations.isEmpty }
}

/// A value that a test changes.
private final class Flag: Sendable {
  private let lock: Lock<Bool>
  init(_ value: Bool) { lock = Lock(value) }
  var value: Bool {
    get { lock.withLock { $0 } }
    set { lock.withLock { $0 = newValue } }
  }
}

/// The answers of a test, given when the test wants.
private final class Answers: Sendable {
  private struct State {
    var requests: [String] = []
    var waiting: [(value: String, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state = Lock(State())
  private let automatic: (@Sendable (String) -> Bool)?

  init(automatic: (@Sendable (String) -> Bool)? = nil) { self.automatic = automatic }

  /// All values that were checked, in order.
  var requests: [String] { state.withLock { $0.requests } }
  /// The values that wait for an answer.
  var open: [String] { state.withLock { $0.waiting.map(\.value) } }

  func next(for value: String) async -> Bool {
    if let automatic {
      state.withLock { $0.requests.append(value) }
      return automatic(value)
    }
    return await withCheckedContinuation { continuation in
      state.withLock {
        $0.requests.append(value)
        $0.waiting.append((value, continuation))
      }
    }
  }

  func give(_ answer: Bool, for value: String) {
    let continuation = state.withLock { state in
      state.waiting.firstIndex { $0.value == value }.map { state.waiting.remove(at: $0).continuation }
    }
    continuation?.resume(returning: answer)
  }

  func arrival(of value: String, count: Int = 1) async {
    while requests.filter({ $0 == value }).count < count { await Task.yield() }
  }
}

/// A clock that a test moves.
private final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let id: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var lastID = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
  }

  private let state = Lock(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock {
      $0.lastID += 1
      return $0.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          if state.cancelled.contains(id) || deadline <= state.now { return true }
          state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          return false
        }
        if isOver { continuation.resume() }
      }
      try Task.checkCancellation()
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return due
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Waits until exactly this number of tasks sleep whose deadline lies a second after the present.
  func sleepers(_ count: Int) async {
    while true {
      let asleep = state.withLock { state in
        state.sleepers.filter { $0.deadline == state.now.advanced(by: .seconds(1)) }.count
      }
      if asleep == count { return }
      await Task.yield()
    }
  }
}

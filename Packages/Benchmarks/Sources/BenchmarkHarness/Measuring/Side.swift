/// A side of a comparison: this library, a peer, or a lower bound for all of them.
///
/// ```swift
/// Side("ModelKit") { round in
///   for number in numbers(of: round) { field.value = number }
///   return UInt64(field.value ?? 0)
/// }
/// ```
public struct Side {
  /// The name in reports.
  public let name: String
  /// The goal for the ratio of the first side's time to the time of this one.
  public let goal: Double?
  let measure: (_ round: Int) async throws -> (time: Duration, checksum: UInt64)
  let finish: () async throws -> Void

  /// Creates a side from a closure that is timed as a whole.
  ///
  /// - Parameters:
  ///   - name: the name in reports.
  ///   - goal: the goal for the ratio of the first side's time to the time of this one.
  ///   - run: a function that does the work and returns its checksum. Its argument is the number of the round, 0 for
  ///     the warm-up, so that values can differ between rounds.
  public init(_ name: String, goal: Double? = nil, run: @escaping (_ round: Int) throws -> UInt64) {
    self.name = name
    self.goal = goal
    measure = { round in
      let clock = ContinuousClock()
      let start = clock.now
      let checksum = try run(round)
      return (clock.now - start, checksum)
    }
    finish = {}
  }

  /// Creates a side whose middle part alone is timed.
  ///
  /// - Parameters:
  ///   - name: the name in reports.
  ///   - goal: the goal for the ratio of the first side's time to the time of this one.
  ///   - prepare: a function that returns the input of the work. Its argument is the number of the round, 0 for the
  ///     warm-up. It is not timed.
  ///   - run: a function that does the work. It alone is timed.
  ///   - checksum: a function that returns the checksum of the result. The result is released after it, which is not
  ///     timed either.
  ///   - finish: a function that cleans up after the last round, even after an error.
  public init<Input, Output>(
    _ name: String, goal: Double? = nil,
    prepare: @escaping (_ round: Int) async throws -> Input,
    run: @escaping (Input) async throws -> Output,
    checksum: @escaping (Output) async throws -> UInt64,
    finish: @escaping () async throws -> Void = {}
  ) {
    self.name = name
    self.goal = goal
    measure = { round in
      let input = try await prepare(round)
      let clock = ContinuousClock()
      let start = clock.now
      let output = try await run(input)
      let time = clock.now - start
      return (time, try await checksum(output))
    }
    self.finish = finish
  }

  /// Returns a side that measures its own time, such as that of another process.
  ///
  /// - Parameters:
  ///   - name: the name in reports.
  ///   - goal: the goal for the ratio of the first side's time to the time of this one.
  ///   - measure: a function that does the work and returns its time and its checksum. Its argument is the number of the
  ///     round, 0 for the warm-up.
  ///   - finish: a function that cleans up after the last round, also after an error.
  public static func selfTimed(
    _ name: String, goal: Double? = nil,
    measure: @escaping (_ round: Int) async throws -> (time: Duration, checksum: UInt64),
    finish: @escaping () async throws -> Void = {}
  ) -> Side {
    Side(selfTimed: name, goal, measure, finish)
  }

  private init(
    selfTimed name: String, _ goal: Double?,
    _ measure: @escaping (_ round: Int) async throws -> (time: Duration, checksum: UInt64),
    _ finish: @escaping () async throws -> Void
  ) {
    self.name = name
    self.goal = goal
    self.measure = measure
    self.finish = finish
  }
}

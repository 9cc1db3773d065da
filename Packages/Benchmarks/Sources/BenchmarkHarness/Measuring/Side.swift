/// One side of a comparison: this library, a peer, or a floor below which nobody can get.
///
/// ```swift
/// Side("ModelKit") { round in
///   for number in numbers(of: round) { field.value = number }
///   return UInt64(field.value ?? 0)
/// }
/// ```
public struct Side {
  /// What to call it in reports.
  public let name: String
  /// What the time of the first side divided by the time of this one should not exceed.
  public let goal: Double?
  let measure: (_ round: Int) async throws -> (time: Duration, checksum: UInt64)
  let finish: () async throws -> Void

  /// Creates a side from a closure that is timed as a whole.
  ///
  /// - Parameters:
  ///   - name: what to call it in reports.
  ///   - goal: what the time of the first side divided by the time of this one should not exceed.
  ///   - run: does the work and returns its checksum. It gets the number of the round, 0 for the warm-up, so that values
  ///     can change from round to round.
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

  /// Creates a side of which only the middle part is timed.
  ///
  /// - Parameters:
  ///   - name: what to call it in reports.
  ///   - goal: what the time of the first side divided by the time of this one should not exceed.
  ///   - prepare: makes what the work starts with. It gets the number of the round, 0 for the warm-up. Not timed.
  ///   - run: does the work; the only part that is timed.
  ///   - checksum: looks at the result. The result lives until then, so its release is not timed either.
  ///   - finish: cleans up after the last round, also after an error.
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
}

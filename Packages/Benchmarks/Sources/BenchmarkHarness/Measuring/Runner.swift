/// A runner of benchmarks. It runs the sides alternately in this process (A B A B …), after a warm-up round that is not
/// measured.
///
/// ```swift
/// let result = try await Runner(rounds: 11).run(benchmark)
/// print(result.sides[0].median)
/// ```
public struct Runner: Sendable {
  /// The number of measured rounds.
  public var rounds: Int
  /// The factor for the sizes of the benchmarks.
  public var scale: Double
  /// Whether only the first side runs, as for a profiler, without comparisons.
  public var runsFirstSideOnly: Bool

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - rounds: the number of measured rounds, at least 1.
  ///   - scale: the factor for the sizes of the benchmarks.
  ///   - runsFirstSideOnly: whether only the first side runs, as for a profiler.
  public init(rounds: Int = 11, scale: Double = 1, runsFirstSideOnly: Bool = false) {
    self.rounds = max(1, rounds)
    self.scale = scale
    self.runsFirstSideOnly = runsFirstSideOnly
  }

  /// Measures one benchmark.
  ///
  /// - Throws: ``ResultMismatch`` if the checksums of two sides differ in a round, and the errors of the sides.
  /// - Note: Runs in the caller's isolation. Call it off the main actor: there, every call of another actor would
  ///   switch threads.
  public func run(_ benchmark: Benchmark) async throws -> BenchmarkResult {
    let size = max(1, Int(Double(benchmark.size) * scale))
    let sides = try await benchmark.sides(size)
    do {
      let running = runsFirstSideOnly ? Array(sides.prefix(1)) : sides
      let result = try await measure(benchmark, running, size: size)
      for side in sides { try await side.finish() }
      return result
    } catch {
      // The error that stopped the benchmark takes precedence over errors of the cleanup.
      for side in sides { try? await side.finish() }
      throw error
    }
  }

  private func measure(_ benchmark: Benchmark, _ sides: [Side], size: Int) async throws -> BenchmarkResult {
    var samples = [[Double]](repeating: [], count: sides.count)
    var checksum: UInt64 = 0
    for round in 0...min(rounds, benchmark.maximumRounds ?? rounds) {
      var checksums: [UInt64] = []
      for (index, side) in sides.enumerated() {
        let sample = try await side.measure(round)
        checksums.append(sample.checksum)
        if round > 0 { samples[index].append(sample.time / .nanoseconds(1) / Double(size)) }
      }
      if Set(checksums).count > 1 {
        throw ResultMismatch(
          benchmark: benchmark.title, round: round, checksums: Array(zip(sides.map(\.name), checksums)))
      }
      checksum = checksums.first ?? 0
    }
    return BenchmarkResult(
      group: benchmark.group, name: benchmark.name, operation: benchmark.operation, size: size, goal: benchmark.goal,
      checksum: checksum,
      sides: zip(sides, samples).map { SideResult(name: $0.name, goal: $0.goal, samples: $1) })
  }
}

/// An error for sides that did not do the same work, so that their times can't be compared.
public struct ResultMismatch: Error, CustomStringConvertible {
  /// The group and the name of the benchmark.
  public let benchmark: String
  /// The round with the difference; 0 is the warm-up.
  public let round: Int
  /// The checksum of each side.
  public let checksums: [(side: String, checksum: UInt64)]

  /// The benchmark and the checksum of each side.
  public var description: String {
    let list = checksums.map { "\($0.side): \($0.checksum)" }.joined(separator: ", ")
    return "\(benchmark) compares different work: in round \(round) the checksums differ (\(list))."
  }
}

import BenchmarkHarness
import Testing

@Suite struct `A runner` {
  @Test func `A runner runs the sides in turns, after a warm-up round`() async throws {
    var calls: [String] = []
    let benchmark = Benchmark(group: "g", name: "n", operation: "op", size: 10) { _ in
      [
        Side("ours") { round in
          calls.append("ours \(round)")
          return 1
        },
        Side("peer") { round in
          calls.append("peer \(round)")
          return 1
        },
      ]
    }
    let result = try await Runner(rounds: 2).run(benchmark)
    #expect(calls == ["ours 0", "peer 0", "ours 1", "peer 1", "ours 2", "peer 2"])
    #expect(result.sides.map(\.samples.count) == [2, 2])
  }

  @Test func `A runner rejects times of different work and names the sides`() async throws {
    let benchmark = Benchmark(group: "g", name: "n", operation: "op", size: 10) { _ in
      [Side("ours") { _ in 1 }, Side("peer") { round in round == 2 ? 7 : 1 }]
    }
    let error = await #expect(throws: ResultMismatch.self) { _ = try await Runner(rounds: 3).run(benchmark) }
    #expect(error?.round == 2)
    #expect(error?.description == "g/n compares different work: in round 2 the checksums differ (ours: 1, peer: 7).")
  }

  @Test func `A runner multiplies sizes and keeps at least one operation`() async throws {
    var sizes: [Int] = []
    let benchmark = Benchmark(group: "g", name: "n", operation: "op", size: 10) { size in
      sizes.append(size)
      return [Side("ours") { _ in 1 }]
    }
    _ = try await Runner(rounds: 1, scale: 5).run(benchmark)
    _ = try await Runner(rounds: 1, scale: 0.001).run(benchmark)
    #expect(sizes == [50, 1])
  }

  @Test func `A runner cleans up after every side, even after an error`() async throws {
    struct Broken: Error {}
    var finished: [String] = []
    let benchmark = Benchmark(group: "g", name: "n", operation: "op", size: 1) { _ in
      ["ours", "peer"].map { name in
        Side(
          name, prepare: { _ in }, run: { if name == "peer" { throw Broken() } }, checksum: { 1 },
          finish: { finished.append(name) })
      }
    }
    await #expect(throws: Broken.self) { _ = try await Runner(rounds: 1).run(benchmark) }
    #expect(finished == ["ours", "peer"])
  }

  @Test func `A filter selects benchmarks by a part of group or name, ignoring case`() {
    let benchmark = Benchmark(group: "JSON", name: "read people", operation: "person", size: 1) { _ in [] }
    #expect(benchmark.matches(nil))
    #expect(benchmark.matches("json/READ"))
    #expect(!benchmark.matches("write"))
  }
}

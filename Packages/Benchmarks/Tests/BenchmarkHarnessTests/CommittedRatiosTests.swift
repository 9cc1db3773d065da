import BenchmarkHarness
import Testing

@Suite struct `Committed ratios` {
  @Test func `The ratios of a written table are found by group, case and peer`() async throws {
    let benchmark = Benchmark(group: "g", name: "a|b", operation: "op", size: 10, goal: 5) { _ in
      [("ours", 30), ("first peer", 60), ("second peer", 400)].map { name, time in
        Side.selfTimed(name, goal: 0.5, measure: { _ in (.nanoseconds(time), 1) })
      }
    }
    let result = try await Runner(rounds: 1).run(benchmark)
    let document = """
      | Case | ModelKit | Peer | Peer | Ratio |
      | other | 1 ns | first peer | 1 ns | **7.00** (1.00–9.00) |
      <!-- g:begin -->

      \(MarkdownReport.table(of: [result]))

      <!-- g:end -->
      """
    let committed = CommittedRatios(in: document)
    #expect(committed.ratio(group: "g", name: "a|b", peer: "first peer") == 0.5)
    #expect(committed.ratio(group: "g", name: "a|b", peer: "second peer") == 0.075)
    #expect(committed.ratio(group: "g", name: "other", peer: "first peer") == nil)
    #expect(committed.ratio(group: "g", name: "a|b", peer: "ours") == nil)
  }

  @Test func `Rows of tables with other columns have no ratio`() {
    let committed = CommittedRatios(in: "<!-- g:begin -->\n| a | b |\n|---|---|\n| 1 | 2 |\n<!-- g:end -->")
    #expect(committed.ratio(group: "g", name: "1", peer: "2") == nil)
  }
}

import BenchmarkHarness
import Foundation
import Testing

@Suite struct `A report` {
  @Test(arguments: [
    (0.5, "0.50 ns"), (9.994, "9.99 ns"), (9.996, "10.0 ns"), (36.14, "36.1 ns"), (999.4, "999 ns"),
    (999.6, "1.00 µs"), (1_650, "1.65 µs"), (230_000_000, "230 ms"), (2_500_000_000, "2.50 s"),
  ])
  func `A report writes a time with three digits and a suitable unit`(nanoseconds: Double, text: String) {
    #expect(Format.time(nanoseconds) == text)
  }

  @Test func `A report separates thousands of counts`() {
    #expect(Format.count(999) == "999")
    #expect(Format.count(20_000) == "20,000")
    #expect(Format.count(-1_234_567) == "-1,234,567")
  }

  @Test func `A report writes decimals of either sign, and values that are not finite`() {
    #expect(Format.decimal(1.005, places: 2) == "1.00")
    #expect(Format.decimal(-0.004, places: 2) == "0.00")
    #expect(Format.decimal(-2.25, places: 1) == "-2.3")
    #expect(Format.decimal(.nan, places: 2) == "nan")
  }

  @Test func `A report has medians, and ratios of medians and of pairs`() async throws {
    let benchmark = Benchmark(group: "g", name: "n", operation: "op", size: 1_000, goal: 5) { _ in
      [Side("ours") { _ in 1 }, Side("peer", goal: 0.5) { _ in 1 }]
    }
    let result = try await Runner(rounds: 4).run(benchmark)
    let ours = result.sides[0]
    let sorted = ours.samples.sorted()
    #expect(ours.median == (sorted[1] + sorted[2]) / 2)
    #expect(ours.minimum == sorted[0])
    let comparison = try #require(result.comparisons.first)
    #expect(comparison.ratio == ours.median / result.sides[1].median)
    #expect(comparison.smallest <= comparison.largest)
    #expect(comparison.goal == 0.5)
    let table = MarkdownReport.table(of: [result])
    #expect(table.contains("≤ 5.00 ns, ≤ 0.50"))
    #expect(TextReport.describe(result).contains("g/n  (1 op of 1,000 a round)"))
  }

  @Test func `A report escapes vertical bars in cells of tables`() {
    #expect(MarkdownReport.table([["a|b"], ["c"]]) == "| a\\|b |\n|---|\n| c |")
  }
}

@Suite struct `A section of a document` {
  private let document = "# Results\n<!-- notify:begin -->\nold\n<!-- notify:end -->\nwords\n"

  @Test func `A section of a document is replaced without changing the rest`() {
    #expect(
      MarkdownSection("notify").replacing(in: document, with: "new")
        == "# Results\n<!-- notify:begin -->\n\nnew\n\n<!-- notify:end -->\nwords\n")
  }

  @Test func `A section that a document lacks is an error`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).md")
    defer { try? FileManager.default.removeItem(at: file) }
    try document.write(to: file, atomically: true, encoding: .utf8)
    #expect(throws: Never.self) { try MarkdownSection("notify").find(in: file) }
    #expect(throws: MissingSection.self) { try MarkdownSection("memory").find(in: file) }
    let error = #expect(throws: MissingSection.self) {
      try MarkdownSection("memory").replace(in: file, with: "new")
    }
    #expect(error?.description.contains("<!-- memory:begin -->") == true)
    #expect(try String(contentsOf: file, encoding: .utf8) == document)
  }
}

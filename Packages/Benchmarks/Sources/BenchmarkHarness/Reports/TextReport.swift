/// The results as text for a terminal.
public enum TextReport {
  /// Returns the report of a benchmark: a line for the work, then one for each side.
  ///
  /// ```text
  /// notify/set, no observers  (200,000 sets a round)
  ///   ModelKit     36.1 ns  min 35.8 ns
  ///   OpenCombine  44.0 ns  min 43.7 ns  ours/peer 0.82 (0.80 to 0.83), goal ≤ 0.90
  /// ```
  public static func describe(_ result: BenchmarkResult) -> String {
    var lines = ["\(result.group)/\(result.name)  (1 \(result.operation) of \(Format.count(result.size)) a round)"]
    let width = result.sides.map(\.name.count).max() ?? 0
    for (index, side) in result.sides.enumerated() {
      var line = "  \(padded(side.name, to: width))  \(padded(Format.time(side.median), to: 8))"
      line += "  min \(padded(Format.time(side.minimum), to: 8))"
      if index > 0 {
        line += "  \(describe(result.comparisons[index - 1]))"
      } else if let goal = result.goal {
        line += "  goal ≤ \(Format.time(goal))"
      }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }

  private static func describe(_ comparison: Comparison) -> String {
    var text = "ours/peer \(Format.ratio(comparison.ratio))"
    text += " (\(Format.ratio(comparison.smallest)) to \(Format.ratio(comparison.largest)))"
    if let goal = comparison.goal { text += ", goal ≤ \(Format.ratio(goal))" }
    return text
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

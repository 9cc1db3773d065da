/// Results as a table for a document.
public enum MarkdownReport {
  /// Returns a table with one row for each comparison, this library first.
  public static func table(of results: [BenchmarkResult]) -> String {
    var rows = [
      ["Case", "ModelKit: median (min)", "Peer", "Peer: median (min)", "Ratio of medians (pairs)", "Goal"]
    ]
    for result in results {
      guard let ours = result.sides.first else { continue }
      let goal = result.goal.map { "≤ \(Format.time($0))" }
      if result.comparisons.isEmpty { rows.append([result.name, times(of: ours), "", "", "", goal ?? ""]) }
      for (index, (comparison, peer)) in zip(result.comparisons, result.sides.dropFirst()).enumerated() {
        let isFirst = index == 0
        let goals = [isFirst ? goal : nil, comparison.goal.map { "≤ \(Format.ratio($0))" }]
        rows.append([
          isFirst ? result.name : "", isFirst ? times(of: ours) : "", peer.name, times(of: peer),
          "**\(Format.ratio(comparison.ratio))** "
            + "(\(Format.ratio(comparison.smallest))–\(Format.ratio(comparison.largest)))",
          goals.compactMap(\.self).joined(separator: ", "),
        ])
      }
    }
    return table(rows)
  }

  /// Returns a table; the first row is the header.
  public static func table(_ rows: [[String]]) -> String {
    guard let head = rows.first else { return "" }
    let rule = "|" + String(repeating: "---|", count: head.count)
    let lines = rows.map { row in
      "| " + row.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
    return ([lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
  }

  private static func times(of side: SideResult) -> String {
    "\(Format.time(side.median)) (\(Format.time(side.minimum)))"
  }
}

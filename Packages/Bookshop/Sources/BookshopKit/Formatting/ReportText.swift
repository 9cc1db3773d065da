/// An import, push or pull in words.
package struct ReportText {
  private let report: CatalogueReport

  package init(_ report: CatalogueReport) { self.report = report }

  /// The rejected entries, one line for each reason; at the end a count of those that are not described.
  package var rejections: [String] {
    var lines = report.rejections.flatMap { $0.reasons.map { "rejected: \($0)" } }
    let others = report.rejectedCount - report.rejections.count
    if others > 0 { lines.append("rejected: \(others) more, \(report.rejectedCount) in all") }
    return lines
  }

  /// What became of authors and books, one line each.
  package var summary: [String] {
    ["authors: \(line(report.authors))", "books:   \(line(report.books))"]
  }

  private func line(_ counts: MergeCounts) -> String {
    "\(counts.added) added, \(counts.updated) updated, \(counts.unchanged) unchanged, \(counts.rejected) rejected"
  }
}

/// "1 book", "2 books".
package func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

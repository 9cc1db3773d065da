/// The report of an import, push or pull as text.
package struct ReportText {
  private let report: CatalogueReport

  package init(_ report: CatalogueReport) { self.report = report }

  /// The rejected entries with one line for each reason, and the number of entries that are not described.
  package var rejections: [String] {
    var lines = report.rejections.flatMap { $0.reasons.map { "rejected: \($0)" } }
    let others = report.rejectedCount - report.rejections.count
    if others > 0 { lines.append("rejected: \(others) more, \(report.rejectedCount) in all") }
    return lines
  }

  /// The counts of authors and books, one line each.
  package var summary: [String] {
    ["authors: \(line(report.authors))", "books:   \(line(report.books))"]
  }

  private func line(_ counts: MergeCounts) -> String {
    "\(counts.added) added, \(counts.updated) updated, \(counts.unchanged) unchanged, \(counts.rejected) rejected"
  }
}

/// Returns a count with its noun: "1 book", "2 books".
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

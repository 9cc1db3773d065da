/// The ratios of a document with tables of results, such as RESULTS.md.
///
/// ```swift
/// let committed = CommittedRatios(in: document)
/// let ratio = committed.ratio(
///   group: "notify", name: "set, no observers", peer: "@Observable")
/// ```
public struct CommittedRatios: Sendable {
  private var ratios: [[String]: Double] = [:]

  /// Reads the tables between the comments of ``MarkdownSection``. Other tables have no ratios.
  public init(in document: String) {
    var group: String?
    var name = ""
    for line in document.split(separator: "\n") {
      if let comment = line.wholeMatch(of: /<!-- (.+):(begin|end) -->/) {
        group = comment.2 == "begin" ? String(comment.1) : nil
        continue
      }
      guard let group, line.hasPrefix("| ") else { continue }
      let cells = line.dropFirst().split(separator: " |", omittingEmptySubsequences: false).map {
        String($0.trimmingPrefix(" ")).replacing("\\|", with: "|")
      }
      guard cells.count > 4 else { continue }
      // A case with several peers has its name in its first row only.
      if !cells[0].isEmpty { name = cells[0] }
      if let ratio = cells[4].firstMatch(of: #/\*\*([0-9.]+)\*\*/#), let value = Double(ratio.1) {
        ratios[[group, name, cells[2]]] = value
      }
    }
  }

  /// Returns the ratio of the medians in the row of a case and a peer; nil without such a row.
  public func ratio(group: String, name: String, peer: String) -> Double? { ratios[[group, name, peer]] }
}

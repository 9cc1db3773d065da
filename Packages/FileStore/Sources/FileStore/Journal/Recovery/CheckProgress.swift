@_spi(ModelKitInternals) import StoreEngine

/// The progress of a check of a journal, measured at intervals of ``SegmentScan/stopInterval``.
struct CheckProgress {
  private let report: (@Sendable (Double) -> Void)?
  private var total: UInt64 = 0
  private var checked: UInt64 = 0

  /// - Parameters:
  ///   - folder: the folder of the journal. A missing one has no progress.
  ///   - report: receives the checked fraction.
  init(of folder: String, _ fileSystem: any FileSystem, _ report: (@Sendable (Double) -> Void)?) throws {
    self.report = report
    guard report != nil, let names = try? fileSystem.list(folder) else { return }
    for name in names where StoreFormat.isJournal(name) {
      // A compaction of another process may have removed it.
      total += (try? fileSystem.open("\(folder)/\(name)", .read).size()) ?? 0
    }
  }

  /// Reports the fraction so far.
  ///
  /// - Returns: whether the check has to stop.
  mutating func advance(unless isStopping: Bool) -> Bool {
    if let report, !isStopping {
      report(total == 0 ? 0 : min(1, Double(checked) / Double(total)))
      checked += SegmentScan.stopInterval
    }
    return isStopping
  }

  func end() { report?(1) }
}

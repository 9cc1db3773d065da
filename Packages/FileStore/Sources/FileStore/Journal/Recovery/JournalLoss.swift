@_spi(ModelKitInternals) import StoreEngine

/// A part of a journal whose records are lost until a repair. Records before it may be outdated, and others missing.
struct JournalLoss: Sendable, Equatable {
  /// The lost content, as far as a checksum proves it.
  enum Content: Sendable, Equatable {
    case unknown

    /// No record.
    case nothing
    case record(type: String, identifier: String)
  }

  let issue: IntegrityIssue
  let content: Content

  /// Whether lines of the file were moved, so that a record behind the loss may be older than it.
  var isAmongMovedLines = false

  /// The number of the file. A missing file has one, too.
  private let number: UInt32

  init(_ issue: IntegrityIssue, _ content: Content = .unknown) {
    self.issue = issue
    self.content = content
    let name = String(issue.file.split(separator: "/").last ?? "")
    number = StoreFormat.segmentNumber(name) ?? StoreFormat.compactedNumber(name) ?? 0
  }

  /// The type of the lost record; empty if it is unknown.
  var typeName: String { if case .record(let type, _) = content { type } else { "" } }

  /// Returns whether lists of a type may lack records, or have outdated ones.
  func concerns(_ type: String) -> Bool {
    if case .record(let lost, _) = content { lost.hasSameBytes(as: type) } else { true }
  }

  /// Returns whether a later revision of a model may be lost.
  ///
  /// - Parameter place: The position of its record; nil if there is none.
  func concerns(_ type: String, _ identifier: String, at place: RecordLocation?) -> Bool {
    if case .record(let lostType, let lost) = content,
      !lostType.hasSameBytes(as: type) || !lost.hasSameBytes(as: identifier)
    {
      return false
    }
    guard let place else { return true }
    return (place.segment.number, place.offset) < (number, isAmongMovedLines ? .max : issue.offset)
  }
}

extension JournalContents {
  /// Returns the losses of which a list of a type may lack records, or have outdated ones.
  func losses(of type: String) -> [JournalLoss] { withIndex { $0.losses.filter { $0.concerns(type) } } }

  /// Returns the loss that may contain a later revision of a model, and whether the model has a record; nil if there is
  /// none.
  func loss(of type: String, _ identifier: String) -> (issue: IntegrityIssue, isFound: Bool)? {
    if withIndex({ $0.losses.isEmpty }) { return nil }
    let entry = entry(type, identifier)
    return withIndex { index in
      index.losses.first { $0.concerns(type, identifier, at: entry?.place) }.map { ($0.issue, entry != nil) }
    }
  }
}

extension UnreadableRecords {
  /// Reports the losses of which a read of a type may lack records, or throws the error of the first.
  func skip(_ losses: [JournalLoss], of type: String) throws {
    for loss in losses {
      var identifier = ""
      if case .record(_, let lost) = loss.content { identifier = lost }
      let error = ModelStoreError.incomplete(type, identifier, loss.issue)
      try take(UnreadableRecord(type, identifier, error, loss.issue), error)
    }
  }

  /// Throws if the record of a model may be outdated. With ``skip``, only if there is none.
  func refuse(_ loss: (issue: IntegrityIssue, isFound: Bool)?, _ type: String, _ identifier: String) throws {
    guard let loss else { return }
    let error = ModelStoreError.incomplete(type, identifier, loss.issue)
    guard loss.isFound else { throw error }
    try take(UnreadableRecord(type, identifier, error, loss.issue), error)
  }
}

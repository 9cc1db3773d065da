@_spi(ModelKitInternals) import StoreEngine

/// Builds an index from the lines of a journal, and decides which batches are valid.
///
/// A complete batch is applied at once. A batch with a problem, and all later ones, are held back until one of two
/// cases is certain:
///
/// - A later line proves that the batch was synced (its `synced`, a later segment, or the mark of the last clean
///   close). Then it was damaged afterwards: the damage is reported, and its intact records are applied.
/// - No line proves it. Then the power failed during the write, and the batch was never acknowledged: the journal ends
///   before it.
struct Replay {
  /// An undecided batch.
  struct Batch {
    var number: UInt64
    var start: UInt64

    /// The expected number of records; nil if its first line is lost.
    var count: UInt64?

    /// The number of records; a damaged range counts as one.
    var lines: UInt64 = 0
    var records: Range<Int>
    var problems: [JournalLoss] = []

    var isOpen: Bool { count.map { lines < $0 } ?? true }
    var isWhole: Bool { problems.isEmpty && count == lines }
  }

  struct StagedRecord {
    var operation: Operation
    var type: Int
    var identifier: Range<Int>
    var revision: UInt64
    var place: RecordLocation
  }

  var index: JournalIndex
  var issues: [IntegrityIssue] = []

  /// The number of the last applied batch.
  var lastBatch: UInt64

  /// The expected number of the next batch; nil while the beginning of the journal is unknown.
  private(set) var expected: UInt64?

  var pending: [Batch] = []
  var staged: [StagedRecord] = []
  var identifiers: [UInt8] = []
  private var lastType: Int?
  var file = ""
  private var segment = SegmentNumber.none

  /// Where the bytes of the segment ended, once they were all read; and those of the segment before it.
  private var segmentEnd: UInt64?
  private var previous: (segment: SegmentNumber, file: String, end: UInt64)?

  /// The batches of the segment that no later line proves to be synced, and their positions.
  private var unsynced: [(number: UInt64, start: UInt64)] = []

  /// The position from which on no line proves that the segment was synced; its first line always was.
  var unsyncedStart: UInt64 { unsynced.first?.start ?? 0 }

  /// Whether known damage explains a gap in the numbers.
  private var explainsGap = false

  /// Whether the lines up to the next batch are repetitions, which are ignored.
  var isRepeated = false

  /// The applied batches, if they are published; nil without observers.
  var applied: [[AppliedRecord]]?

  /// A record of an applied batch.
  struct AppliedRecord {
    var operation: Operation
    var type: String
    var identifier: String
    var place: RecordLocation
    var revision: UInt64
  }

  /// A replay from the beginning, into an index without models.
  init(into index: JournalIndex = JournalIndex()) {
    self.index = index
    lastBatch = 0
  }

  /// A replay of the batches after one, with the index as of that batch.
  init(_ index: JournalIndex, lastBatch: UInt64) {
    self.index = index
    self.lastBatch = lastBatch
    expected = lastBatch + 1
  }

  /// Whether lines of the segment are at wrong positions.
  var hasMovedLines = false

  /// Whether a record that comes next belongs to the last batch.
  var isInBatch: Bool { pending.last?.isOpen ?? false }

  /// Moves the index out at the end.
  mutating func takeIndex() -> JournalIndex {
    var taken = JournalIndex()
    swap(&taken, &index)
    return taken
  }

  /// Continues from a checkpoint. Issues that were recorded before stay.
  mutating func begin(from checkpoint: Checkpoint) {
    index = checkpoint.index
    lastBatch = checkpoint.position.batch
    expected = lastBatch + 1
  }

  /// Begins a segment; the previous ones were synced.
  mutating func begin(segment: SegmentNumber, file: String) {
    end(synced: .max)
    previous = segmentEnd.map { (self.segment, self.file, $0) }
    if segmentEnd == 0 {
      note(.missing, at: 0, length: 0, "the file is empty")
      explainsGap = true
    }
    segmentEnd = nil
    hasMovedLines = false
    self.segment = segment
    self.file = file
    unsynced = []
  }

  /// Applies the first line of a segment, which shows whether the previous segment is complete.
  mutating func takeSegment(firstBatch: UInt64) {
    // The batches before it may have no lines: a compaction keeps only live records.
    lastBatch = max(lastBatch, firstBatch - 1)
    guard let due = expected else {
      // The first segment was emptied, and begun again: only a compaction removes the first batches.
      if !segment.isCompacted, segment.number == 1, firstBatch > 1 {
        note(.missing, at: 0, length: 0, Self.missing(1, upTo: firstBatch - 1))
      }
      expected = firstBatch
      return
    }
    guard firstBatch > due, !explainsGap, let previous, previous.segment.number + 1 == segment.number else { return }
    note(
      IntegrityIssue(
        kind: .missing, file: previous.file, offset: previous.end, length: 0,
        reason: Self.missing(due, upTo: firstBatch - 1)))
    explainsGap = true
  }

  /// Records the end of a segment, before preallocated space.
  mutating func endSegment(at end: UInt64) { segmentEnd = end }

  static func missing(_ first: UInt64, upTo last: UInt64) -> String {
    first == last ? "batch \(first) is missing" : "the batches \(first) to \(last) are missing"
  }

  mutating func takeBatch(number: UInt64, count: UInt64, synced: UInt64, at offset: UInt64) {
    closeBatch(at: offset)
    if let last = pending.indices.last, pending[last].count == nil {
      pending[last].number = min(pending[last].number, number - 1)
    }
    decide(synced: synced)
    let due = expected ?? number
    isRepeated = number < due
    if isRepeated {
      problem(at: offset, length: 0, "batch \(number) comes after batch \(due - 1), so it is ignored")
      return
    }
    if number > due, !explainsGap {
      let reason = Self.missing(due, upTo: number - 1)
      var gap = Batch(number: number - 1, start: offset, records: staged.count..<staged.count)
      gap.problems = [JournalLoss(issue(.missing, offset, 0, reason))]
      pending.append(gap)
      decide(synced: synced)
    }
    explainsGap = false
    expected = number + 1
    unsynced.removeFirst(unsynced.firstIndex { $0.number > synced } ?? unsynced.count)
    unsynced.append((number, offset))
    pending.append(Batch(number: number, start: offset, count: count, records: staged.count..<staged.count))
    applyWholeBatches()
  }

  /// Applies the line before live records of the batches up to `number` in a compacted segment. They were synced before
  /// the files that they replace were removed.
  mutating func takeKept(upTo number: UInt64, count: UInt64, at offset: UInt64) {
    closeBatch(at: offset)
    if let last = pending.indices.last, pending[last].count == nil { pending[last].number = number }
    decide(synced: number)
    explainsGap = false
    expected = number + 1
    pending.append(Batch(number: number, start: offset, count: count, records: staged.count..<staged.count))
    applyWholeBatches()
  }

  /// Applies the largest integer that was an identifier of a type.
  mutating func takeLargest(_ integer: UInt64, of type: JournalText, in line: UnsafeRawBufferPointer) {
    index.noteInteger(Int(clamping: integer), type: typeNumber(type, in: line))
  }

  mutating func takeRecord(_ record: RecordLine, in line: UnsafeRawBufferPointer, at offset: UInt64, _ salt: UInt32) {
    if isRepeated { return }
    if pending.last?.isOpen != true {
      problem(at: offset, length: 0, "a record belongs to no batch")
    }
    let start = identifiers.count
    record.identifier.withBytes(in: line) { identifiers.append(contentsOf: $0) }
    staged.append(
      StagedRecord(
        operation: record.operation, type: typeNumber(record.type, in: line),
        identifier: start..<identifiers.count, revision: record.revision,
        place: RecordLocation(segment: segment, length: UInt32(line.count), offset: offset, salt: salt)))
    pending[pending.count - 1].lines += 1
    pending[pending.count - 1].records = pending[pending.count - 1].records.lowerBound..<staged.count
    applyWholeBatches()
  }

  /// Records bytes that are not an intact line.
  ///
  /// - Parameter content: The proven content of a single line.
  mutating func takeDamage(
    at offset: UInt64, length: UInt64, _ reason: String, _ content: JournalLoss.Content = .unknown
  ) {
    // The line of a known record hides no other batch.
    if case .record = content {} else { explainsGap = true }
    // A damaged range can reach the scanner in parts. It is reported once, and counts as one record.
    if let last = pending.indices.last, var previous = pending[last].problems.last?.issue,
      previous.offset + previous.length + 1 >= offset, previous.length > 0
    {
      previous.length = offset + length - previous.offset
      pending[last].problems[pending[last].problems.count - 1] = JournalLoss(previous)
      return
    }
    problem(at: offset, length: length, reason, content)
    pending[pending.count - 1].lines += 1
  }

  /// Reports that the lines from an offset on were moved. Their positions don't show which record of a model is newer.
  mutating func noteMovedLines(at offset: UInt64, by shift: Int) {
    note(at: offset, length: 0, "the lines from here on were moved by \(shift) bytes")
    hasMovedLines = true
    for number in index.losses.indices where index.losses[number].issue.file == file {
      index.losses[number].isAmongMovedLines = true
    }
  }

  /// Reports an issue that does not affect readable records.
  mutating func note(_ kind: IntegrityIssue.Kind = .damage, at offset: UInt64, length: UInt64, _ reason: String) {
    note(issue(kind, offset, length, reason))
  }

  /// Reports an issue. A journal can only lack records.
  mutating func note(_ issue: IntegrityIssue) {
    issues.append(issue)
    if issue.kind == .missing, issue.file.hasSuffix(StoreFormat.journalSuffix) {
      index.losses.append(JournalLoss(issue))
    }
  }

  /// Discards the damage after a position in a file, because its bytes are moved to another file.
  mutating func discardDamage(in file: String, from offset: UInt64) {
    issues.removeAll { $0.kind == .damage && $0.file == file && $0.offset >= offset }
  }

  /// Ends the journal, or one of its segments: all batches up to `synced` were synced.
  ///
  /// - Returns: The position of the first batch that is not applied, and its problem; nil if all are applied.
  @discardableResult
  mutating func end(synced: UInt64) -> (start: UInt64, reason: String)? {
    closeBatch(at: nil)
    decide(synced: synced)
    guard let torn = pending.first else { return nil }
    pending = []
    discardStaged()
    return (torn.start, torn.problems.first?.issue.reason ?? "a batch is incomplete")
  }

  func issue(_ kind: IntegrityIssue.Kind, _ offset: UInt64, _ length: UInt64, _ reason: String)
    -> IntegrityIssue
  {
    IntegrityIssue(kind: kind, file: file, offset: offset, length: length, reason: reason)
  }

  /// Adds a problem to the open batch, or to a new one whose first line is lost.
  private mutating func problem(
    at offset: UInt64, length: UInt64, _ reason: String, _ content: JournalLoss.Content = .unknown
  ) {
    if pending.last?.isOpen != true {
      pending.append(
        Batch(number: expected ?? 1, start: offset, records: staged.count..<staged.count))
    }
    pending[pending.count - 1].problems.append(JournalLoss(issue(.damage, offset, length, reason), content))
  }

  private mutating func typeNumber(_ type: JournalText, in line: UnsafeRawBufferPointer) -> Int {
    type.withBytes(in: line) { name in
      // Consecutive records often have the same type: compare before looking up.
      if let lastType, index.isNamed(lastType, name) { return lastType }
      let number = index.intern(Array(name))
      lastType = number
      return number
    }
  }
}

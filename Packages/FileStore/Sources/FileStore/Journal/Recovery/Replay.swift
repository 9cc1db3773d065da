@_spi(ModelKitInternals) import StoreEngine

/// Turns the lines of a journal, in order, into an index, and decides what to believe.
///
/// A batch that is whole counts at once. When something is wrong with a batch, it and all that follow are held
/// back until it is known which of two things happened:
///
/// - A later line proves that the batch had been brought to the disk (its `synced`, a later segment, or the mark of the
///   last clean close). Then it was damaged afterwards: the damage is reported, and its sound records count.
/// - No line proves it. Then it was being written when the power failed, and was never acknowledged: the journal ends
///   before it.
struct Replay {
  /// A batch that is not decided yet.
  private struct Batch {
    var number: UInt64
    var start: UInt64

    /// How many records it should have; nil if its first line is lost.
    var count: UInt64?

    /// How many records it has, a damaged stretch counting as one.
    var lines: UInt64 = 0
    var records: Range<Int>
    var problems: [IntegrityIssue] = []

    var isOpen: Bool { count.map { lines < $0 } ?? true }
    var isWhole: Bool { problems.isEmpty && count == lines }
  }

  private struct StagedRecord {
    var operation: Operation
    var type: Int
    var identifier: Range<Int>
    var revision: UInt64
    var place: RecordLocation
  }

  private(set) var index: JournalIndex
  private(set) var issues: [IntegrityIssue] = []

  /// The number of the last batch that counts.
  private(set) var lastBatch: UInt64

  /// The number that the next batch should have; nil while the beginning of the journal is not known.
  private var expected: UInt64?

  private var pending: [Batch] = []
  private var staged: [StagedRecord] = []
  private var identifiers: [UInt8] = []
  private var lastType: Int?
  private var file = ""
  private var segment = SegmentNumber.none

  /// Where the bytes of the segment ended, once they were all read; and those of the segment before it.
  private var segmentEnd: UInt64?
  private var previous: (segment: SegmentNumber, file: String, end: UInt64)?

  /// The batches of the segment that no later line proves to be synced, and their positions.
  private var unsynced: [(number: UInt64, start: UInt64)] = []

  /// The position from which on no line proves that the segment was synced; its first line always was.
  var unsyncedStart: UInt64 { unsynced.first?.start ?? 0 }

  /// Whether a gap in the numbers is explained by damage that was already seen.
  private var explainsGap = false

  /// Whether the lines up to the next batch are repetitions, which must not count twice.
  private var isRepeated = false

  /// The batches that count, if they are to be published; nil without observers.
  var applied: [[AppliedRecord]]?

  /// A record of a batch that counts.
  struct AppliedRecord {
    var operation: Operation
    var type: String
    var identifier: String
    var place: RecordLocation
    var revision: UInt64
  }

  /// A replay from the beginning.
  init() {
    index = JournalIndex()
    lastBatch = 0
  }

  /// A replay from the beginning, into an index without models.
  init(into index: JournalIndex) {
    self.index = index
    lastBatch = 0
  }

  /// A replay of what was written after a batch, by which the index was as it is here.
  init(_ index: JournalIndex, lastBatch: UInt64) {
    self.index = index
    self.lastBatch = lastBatch
    expected = lastBatch + 1
  }

  /// Gives the index away at the end.
  mutating func takeIndex() -> JournalIndex {
    var taken = JournalIndex()
    swap(&taken, &index)
    return taken
  }

  /// Goes on from a checkpoint. What was noted before stays noted.
  mutating func begin(from checkpoint: Checkpoint) {
    index = checkpoint.index
    lastBatch = checkpoint.position.batch
    expected = lastBatch + 1
  }

  /// Begins a segment; those before it had been brought to the disk.
  mutating func begin(segment: SegmentNumber, file: String) {
    end(synced: .max)
    previous = segmentEnd.map { (self.segment, self.file, $0) }
    if segmentEnd == 0 {
      note(.missing, at: 0, length: 0, "the file is empty")
      explainsGap = true
    }
    segmentEnd = nil
    self.segment = segment
    self.file = file
    unsynced = []
  }

  /// Takes the first line of a segment, which tells whether the one before it has all of its batches.
  mutating func takeSegment(firstBatch: UInt64) {
    // The batches before it may have left no line: a compaction keeps only models.
    lastBatch = max(lastBatch, firstBatch - 1)
    guard let due = expected else {
      expected = firstBatch
      return
    }
    guard firstBatch > due, !explainsGap, let previous, previous.segment.number + 1 == segment.number else { return }
    issues.append(
      IntegrityIssue(
        kind: .missing, file: previous.file, offset: previous.end, length: 0,
        reason: Self.missing(due, upTo: firstBatch - 1)))
    explainsGap = true
  }

  /// Takes the end of a segment, behind the last byte that is not reserved room.
  mutating func endSegment(at end: UInt64) { segmentEnd = end }

  private static func missing(_ first: UInt64, upTo last: UInt64) -> String {
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
      problem(at: offset, length: 0, "batch \(number) stands behind batch \(due - 1), so it does not count")
      return
    }
    if number > due, !explainsGap {
      let reason = Self.missing(due, upTo: number - 1)
      var gap = Batch(number: number - 1, start: offset, records: staged.count..<staged.count)
      gap.problems = [issue(.missing, offset, 0, reason)]
      pending.append(gap)
      decide(synced: synced)
    }
    explainsGap = false
    expected = number + 1
    unsynced.removeFirst(unsynced.firstIndex { $0.number > synced } ?? unsynced.count)
    unsynced.append((number, offset))
    pending.append(Batch(number: number, start: offset, count: count, records: staged.count..<staged.count))
    settle()
  }

  /// Takes the line before some of the records that compaction has left of all batches up to `number`. They were on the
  /// disk before anything that they replace was removed.
  mutating func takeKept(upTo number: UInt64, count: UInt64, at offset: UInt64) {
    closeBatch(at: offset)
    if let last = pending.indices.last, pending[last].count == nil { pending[last].number = number }
    decide(synced: number)
    explainsGap = false
    expected = number + 1
    pending.append(Batch(number: number, start: offset, count: count, records: staged.count..<staged.count))
    settle()
  }

  /// Takes the largest integer that was an identifier of a type.
  mutating func takeLargest(_ integer: UInt64, of type: JournalText, in line: UnsafeRawBufferPointer) {
    index.noteInteger(Int(clamping: integer), type: typeNumber(type, in: line))
  }

  mutating func takeRecord(_ record: RecordLine, in line: UnsafeRawBufferPointer, at offset: UInt64) {
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
        place: RecordLocation(segment: segment, length: UInt32(line.count), offset: offset)))
    pending[pending.count - 1].lines += 1
    pending[pending.count - 1].records = pending[pending.count - 1].records.lowerBound..<staged.count
    settle()
  }

  /// Takes bytes that are no sound line.
  mutating func takeDamage(at offset: UInt64, length: UInt64, _ reason: String) {
    explainsGap = true
    // One damaged stretch can reach the scanner in pieces; it is reported, and counted as a record, once.
    if let last = pending.indices.last, let previous = pending[last].problems.last,
      previous.offset + previous.length + 1 >= offset, previous.length > 0
    {
      let problem = pending[last].problems.count - 1
      pending[last].problems[problem].length = offset + length - previous.offset
      return
    }
    problem(at: offset, length: length, reason)
    pending[pending.count - 1].lines += 1
  }

  /// Reports something that takes nothing away from what is readable.
  mutating func note(_ kind: IntegrityIssue.Kind = .damage, at offset: UInt64, length: UInt64, _ reason: String) {
    issues.append(issue(kind, offset, length, reason))
  }

  mutating func note(_ issue: IntegrityIssue) { issues.append(issue) }

  /// Discards the damage behind a position in a file, when all of it is moved elsewhere.
  mutating func forgetDamage(in file: String, from offset: UInt64) {
    issues.removeAll { $0.kind == .damage && $0.file == file && $0.offset >= offset }
  }

  /// Ends the journal, or one of its segments: all batches up to `synced` had been brought to the disk.
  ///
  /// - Returns: Where the batches begin that do not count, and what is wrong with the first of them; nil if all do.
  @discardableResult
  mutating func end(synced: UInt64) -> (start: UInt64, reason: String)? {
    closeBatch(at: nil)
    decide(synced: synced)
    guard let torn = pending.first else { return nil }
    pending = []
    forgetStaged()
    return (torn.start, torn.problems.first?.reason ?? "a batch is incomplete")
  }

  private func issue(_ kind: IntegrityIssue.Kind, _ offset: UInt64, _ length: UInt64, _ reason: String)
    -> IntegrityIssue
  {
    IntegrityIssue(kind: kind, file: file, offset: offset, length: length, reason: reason)
  }

  /// Adds a problem to the batch that is open, or to a new one whose first line is lost.
  private mutating func problem(at offset: UInt64, length: UInt64, _ reason: String) {
    if pending.last?.isOpen != true {
      pending.append(
        Batch(number: expected ?? 1, start: offset, records: staged.count..<staged.count))
    }
    pending[pending.count - 1].problems.append(issue(.damage, offset, length, reason))
  }

  /// Notices that the last batch got no more records, because another begins or the segment ends.
  private mutating func closeBatch(at offset: UInt64?) {
    isRepeated = false
    guard let last = pending.indices.last, pending[last].isOpen, let count = pending[last].count,
      pending[last].problems.isEmpty
    else { return }
    let batch = pending[last]
    pending[last].problems = [
      issue(
        .missing, offset ?? batch.start, 0, "batch \(batch.number) has \(batch.lines) of its \(count) records")
    ]
  }

  private mutating func typeNumber(_ type: JournalText, in line: UnsafeRawBufferPointer) -> Int {
    type.withBytes(in: line) { name in
      // Neighbours mostly have the same type: compare before looking up.
      if let lastType, index.isNamed(lastType, name) { return lastType }
      let number = index.intern(Array(name))
      lastType = number
      return number
    }
  }

  private mutating func decide(synced: UInt64) {
    var count = 0
    for batch in pending {
      guard batch.number <= synced || batch.isWhole else { break }
      apply(batch)
      count += 1
    }
    pending.removeFirst(count)
    if pending.isEmpty { forgetStaged() }
  }

  /// Lets the first batches count, as long as they are whole.
  private mutating func settle() {
    if let first = pending.first, first.isWhole { decide(synced: 0) }
  }

  private mutating func apply(_ batch: Batch) {
    identifiers.withUnsafeBytes { bytes in
      for record in staged[batch.records] {
        index.apply(
          record.operation, type: record.type, identifier: UnsafeRawBufferPointer(rebasing: bytes[record.identifier]),
          revision: record.revision, place: record.place)
      }
    }
    note(batch)
    issues += batch.problems
    lastBatch = max(lastBatch, batch.number)
  }

  private mutating func note(_ batch: Batch) {
    guard applied != nil, !batch.records.isEmpty else { return }
    applied?.append(
      staged[batch.records].map { record in
        AppliedRecord(
          operation: record.operation, type: index.name(ofType: record.type),
          identifier: String(decoding: identifiers[record.identifier], as: UTF8.self), place: record.place,
          revision: record.revision)
      })
  }

  private mutating func forgetStaged() {
    staged.removeAll(keepingCapacity: true)
    identifiers.removeAll(keepingCapacity: true)
  }
}

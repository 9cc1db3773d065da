@_spi(ModelKitInternals) import StoreEngine

// The end of batches, and the application of their records to the index.
extension Replay {
  /// Ends the last batch, because another begins or the segment ends.
  mutating func closeBatch(at offset: UInt64?) {
    isRepeated = false
    guard let last = pending.indices.last, pending[last].isOpen, let count = pending[last].count,
      pending[last].problems.isEmpty
    else { return }
    let batch = pending[last]
    pending[last].problems = [
      JournalLoss(
        issue(
          .missing, offset ?? batch.start, 0, "batch \(batch.number) has \(batch.lines) of its \(count) records"))
    ]
  }

  mutating func decide(synced: UInt64) {
    var count = 0
    for batch in pending {
      guard batch.number <= synced || batch.isWhole else { break }
      apply(batch)
      count += 1
    }
    pending.removeFirst(count)
    if pending.isEmpty { discardStaged() }
  }

  /// Applies the first batches, as long as they are complete.
  mutating func applyWholeBatches() {
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
    issues += batch.problems.map(\.issue)
    for var loss in batch.problems where loss.content != .nothing {
      loss.isAmongMovedLines = hasMovedLines && loss.issue.file == file
      index.losses.append(loss)
    }
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

  mutating func discardStaged() {
    staged.removeAll(keepingCapacity: true)
    identifiers.removeAll(keepingCapacity: true)
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Journal {
  /// Checks batches against what is stored, in their order, writes those that pass with one call, and lets readers see
  /// them: a batch is seen whole, and a durable one not before it is on the disk.
  ///
  /// - Returns: For each batch the new revisions of its models in the order of its changes, or why it was refused.
  func commit(_ batches: [[Change]], isDurable: Bool) -> [Result<[UInt64], any Error>] {
    var admission = Admission(contents, capacity: batches.reduce(0) { $0 + $1.count })
    var admitted: [[JournalRecord]] = []
    var results = batches.map { batch -> Result<[UInt64], any Error> in
      do throws(FileEngineError) {
        let records = try admission.admit(batch)
        if !records.isEmpty { admitted.append(records) }
        return .success(records.map(\.revision))
      } catch {
        return .failure(error)
      }
    }
    guard !admitted.isEmpty else { return results }
    do {
      let places = try append(admitted)
      if isDurable { try sync() }
      publish(admitted, places)
    } catch {
      results = results.map { $0.flatMap { $0.isEmpty ? .success($0) : .failure(error) } }
    }
    return results
  }

  private func publish(_ batches: [[JournalRecord]], _ places: [[RecordPlace]]) {
    contents.withIndex { index in
      var types: Set<Int> = []
      for (batch, places) in zip(batches, places) {
        if let first = batch.first {
          let bytes = batch.reduce(0) { $0 + $1.change.identifier.utf8.count }
          index.reserve(batch.count, identifierBytes: bytes, type: first.type)
        }
        var lastType = -1
        for number in batch.indices {
          let type = batch[number].type
          if type != lastType {
            lastType = type
            types.insert(lastType)
          }
          if let keys = batch[number].keys {
            index.apply(batch[number], keys, at: places[number])
            continue
          }
          batch[number].change.identifier.withBytes {
            index.apply(
              batch[number].change.operation, type: type, identifier: $0, revision: batch[number].revision,
              place: places[number])
          }
        }
      }
      index.noteWrite(to: types)
    }
  }
}

/// Decides which batches can be written together, one after the other.
private struct Admission {
  private let contents: JournalContents

  /// The revisions that the batches admitted so far leave behind; 0 stands for a deleted model.
  private var staged: StagedRevisions
  private var keys: KeyAdmission

  /// Writers mostly stay with one type.
  private var lastType: (name: String, number: Int)?

  init(_ contents: JournalContents, capacity: Int) {
    self.contents = contents
    keys = KeyAdmission(contents)
    staged = StagedRevisions(hash: contents.withIndex { $0.hash }, capacity: capacity)
  }

  /// Checks one batch, and remembers what it does if it passes.
  mutating func admit(_ batch: [Change]) throws(FileEngineError) -> [JournalRecord] {
    var records: [JournalRecord] = []
    records.reserveCapacity(batch.count)
    var replaced: [(place: Int, revision: UInt64)] = []
    replaced.reserveCapacity(batch.count)
    keys.begin()
    do throws(FileEngineError) {
      for change in batch {
        try check(change)
        let type = number(of: change.type)
        let place = change.identifier.withBytes { staged.place(type: type, $0) }
        let record = try admit(change, type, place)
        replaced.append((place, staged[place]))
        staged[place] = change.operation == .delete ? 0 : record.revision
        records.append(record)
      }
    } catch {
      keys.rollBack()
      for (place, revision) in replaced.reversed() { staged[place] = revision }
      throw error
    }
    return records
  }

  private mutating func number(of type: String) -> Int {
    if let lastType, lastType.name.hasSameBytes(as: type) { return lastType.number }
    let number = contents.withIndex { $0.intern(type) }
    lastType = (type, number)
    return number
  }

  private mutating func admit(
    _ change: Change, _ type: Int, _ place: Int
  ) throws(FileEngineError) -> JournalRecord {
    // Only this thread changes what is stored, so it stays true until the batch is published.
    let stored = change.identifier.withBytes { identifier in
      contents.withIndex { $0.entry(type: type, identifier) }
    }
    let current = staged[place] == StagedRevisions.unknown ? stored?.revision ?? 0 : staged[place]
    switch change.operation {
    case .create:
      guard current == 0 else { throw .conflict(type: change.type, identifier: change.identifier) }
    case .update, .delete:
      guard current > 0 else { throw .notFound(type: change.type, identifier: change.identifier) }
      if let expected = change.expectedRevision, expected != current {
        throw .staleRevision(type: change.type, identifier: change.identifier)
      }
    }
    return JournalRecord(
      change: change, revision: current + 1, type: type, keys: try keys.admit(change, type, stored: stored?.place))
  }

  /// A value becomes a part of a line: a line break or a zero byte would end that early.
  private func check(_ change: Change) throws(FileEngineError) {
    guard change.operation != .delete else { return }
    let reason: String
    if change.value.isEmpty {
      reason = "is empty"
    } else if change.value.withUnsafeBytes({ has(0x0a, $0) || has(0, $0) }) {
      reason = "has a line break or a zero byte outside of its JSON strings"
    } else {
      return
    }
    throw .invalidValue(type: change.type, identifier: change.identifier, reason: reason)
  }

  private func has(_ byte: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.baseAddress.map { memchr($0, byte, bytes.count) != nil } ?? false
  }
}

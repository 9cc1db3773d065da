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
          let bytes = batch.reduce(0) { $0 + $1.key.identifier.count }
          index.reserve(batch.count, identifierBytes: bytes, type: first.key.type)
        }
        var lastType = -1
        for (record, place) in zip(batch, places) {
          if record.key.type != lastType {
            lastType = record.key.type
            types.insert(lastType)
          }
          if let keys = record.keys {
            index.apply(record, keys, at: place)
            continue
          }
          record.key.identifier.withUnsafeBytes {
            index.apply(
              record.change.operation, type: record.key.type, identifier: $0, revision: record.revision, place: place)
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
  private var staged: [ModelKey: UInt64] = [:]
  private var keys: KeyAdmission

  init(_ contents: JournalContents, capacity: Int) {
    self.contents = contents
    keys = KeyAdmission(contents)
    staged.reserveCapacity(capacity)
  }

  /// Checks one batch, and remembers what it does if it passes.
  mutating func admit(_ batch: [Change]) throws(FileEngineError) -> [JournalRecord] {
    var records: [JournalRecord] = []
    records.reserveCapacity(batch.count)
    var replaced: [UInt64?] = []
    keys.begin()
    do throws(FileEngineError) {
      for change in batch {
        let record = try admit(change)
        let isDeletion = change.operation == .delete
        replaced.append(staged.updateValue(isDeletion ? 0 : record.revision, forKey: record.key))
        records.append(record)
      }
    } catch {
      keys.rollBack()
      for (record, revision) in zip(records, replaced).reversed() { staged[record.key] = revision }
      throw error
    }
    return records
  }

  private mutating func admit(_ change: Change) throws(FileEngineError) -> JournalRecord {
    try check(change)
    let identifier = Array(change.identifier.utf8)
    // Only this thread changes what is stored, so it stays true until the batch is published.
    let (type, stored) = contents.withIndex { index in
      let type = index.intern(change.type)
      return (type, index.entry(type: type, identifier))
    }
    let key = ModelKey(type: type, identifier: identifier)
    let current = staged[key] ?? stored?.revision ?? 0
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
      change: change, revision: current + 1, key: key, keys: try keys.admit(change, key, stored: stored?.place))
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

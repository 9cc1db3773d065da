@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Journal {
  /// Checks batches against the stored revisions, in order, and writes those that pass with one call. Readers see
  /// complete batches, and a durable batch only after it is synced.
  ///
  /// - Returns: for each batch the new revisions of its models in the order of its changes, or the reason of its
  ///   rejection.
  func commit(_ batches: [[Change]], isDurable: Bool) -> [Result<[UInt64], any Error>] {
    var admission = Admission(contents, capacity: batches.reduce(0) { $0 + $1.count })
    var admitted: [AdmittedBatch] = []
    var results = batches.map { batch -> Result<[UInt64], any Error> in
      do throws(FileEngineError) {
        let batch = try admission.admit(batch)
        if !batch.records.isEmpty { admitted.append(batch) }
        return .success(batch.records.map(\.revision))
      } catch {
        return .failure(error)
      }
    }
    guard !admitted.isEmpty else { return results }
    do {
      try append(&admitted)
      if isDurable { try sync() }
      try refuseWithoutLock()
      publish(admitted)
    } catch {
      results = results.map { $0.flatMap { $0.isEmpty ? .success($0) : .failure(error) } }
    }
    return results
  }

  private func publish(_ batches: [AdmittedBatch]) {
    contents.withIndex { index in
      for batch in batches { contents.conflictTrackers.note(batch.changes) }
      var types: Set<Int> = []
      for batch in batches {
        if let first = batch.records.first {
          let bytes = batch.changes.reduce(0) { $0 + $1.identifier.utf8.count }
          index.reserve(batch.records.count, identifierBytes: bytes, type: first.type)
        }
        var lastType = -1
        for number in batch.records.indices {
          let record = batch.records[number]
          if record.type != lastType {
            lastType = record.type
            types.insert(lastType)
          }
          let keys = batch.keys.isEmpty ? nil : batch.keys[number]
          batch.changes[number].identifier.withBytes { identifier in
            index.apply(batch.changes[number].operation, identifier, record, keys)
          }
        }
      }
      index.noteWrite(to: types)
    }
  }
}

/// Decides in order which batches can be written together.
private struct Admission {
  private let contents: JournalContents

  /// The revisions after the batches admitted so far.
  private var staged: StagedRevisions
  private let hash: IdentifierHash
  private var keys: KeyAdmission

  /// Consecutive writes often have the same type.
  private var lastType: (name: String, number: Int)?

  init(_ contents: JournalContents, capacity: Int) {
    self.contents = contents
    keys = KeyAdmission(contents)
    hash = contents.withIndex { $0.hash }
    staged = StagedRevisions(capacity: capacity)
  }

  /// Checks one batch, and records its effect if it passes.
  mutating func admit(_ changes: [Change]) throws(FileEngineError) -> AdmittedBatch {
    var batch = AdmittedBatch(changes: changes, records: [])
    batch.records.reserveCapacity(changes.count)
    var replaced: [(place: Int, state: StagedRevisions.State)] = []
    replaced.reserveCapacity(changes.count)
    keys.begin()
    do throws(FileEngineError) {
      for index in changes.indices {
        try check(changes[index])
        let type = number(of: changes[index].type)
        let (hash, place, stored) = changes[index].identifier.withBytes { identifier in
          let hash = self.hash(identifier)
          // Only this thread changes the index, so the entry stays valid until the batch is published.
          let stored = contents.withIndex { $0.entry(type: type, identifier, hash: hash) }
          return (hash, staged.place(type: type, identifier, hash: hash), stored)
        }
        let change = changes[index]
        let (revision, isCreated) = try revision(after: change, staged[place], stored)
        if let key = try keys.admit(change, number: index, type, stored: stored) { batch.keys[index] = key }
        replaced.append((place, staged[place]))
        staged[place] = change.operation == .delete ? .deleted : .live(revision: revision, isCreated: isCreated)
        batch.records.append(AdmittedRecord(revision: revision, type: type, hash: hash))
      }
      try keys.finish(changes)
    } catch {
      keys.rollBack()
      for (place, state) in replaced.reversed() { staged[place] = state }
      throw error
    }
    return batch
  }

  private mutating func number(of type: String) -> Int {
    if let lastType, lastType.name.hasSameBytes(as: type) { return lastType.number }
    let number = contents.withIndex { $0.intern(type) }
    lastType = (type, number)
    return number
  }

  /// Returns the revision after a change, and whether a batch that is not published yet created the model.
  private func revision(
    after change: Change, _ staged: StagedRevisions.State, _ stored: TypeIndex.Entry?
  ) throws(FileEngineError) -> (revision: UInt64, isCreated: Bool) {
    let current: (revision: UInt64, isCreated: Bool)? =
      switch staged {
      case .unchanged: stored.map { ($0.revision, false) }
      case .deleted: nil
      case .live(let revision, let isCreated): (revision, isCreated)
      }
    guard let current else {
      if change.operation == .create { return (1, true) }
      throw .notFound(type: change.type, identifier: change.identifier)
    }
    if change.operation == .create { throw .conflict(type: change.type, identifier: change.identifier) }
    if let expected = change.expectedRevision {
      let isExpected =
        !current.isCreated && stored.map { $0.version(ofRevision: current.revision) == expected } == true
      guard isExpected else { throw .staleRevision(type: change.type, identifier: change.identifier) }
    }
    return (current.revision + 1, current.isCreated)
  }

  /// A value becomes a part of a line, and a line break or a zero byte would end the line early.
  private func check(_ change: Change) throws(FileEngineError) {
    guard change.operation != .delete else { return }
    let reason: String
    if change.value.isEmpty {
      reason = "is empty"
    } else if change.value.withUnsafeBytes({ has(0x0a, $0) || has(0, $0) }) {
      reason = "has a line break or a zero byte outside of its JSON strings"
    } else if change.value.withUnsafeBytes(RecordLimits.isTooDeep) {
      reason = RecordLimits.tooDeep
    } else {
      return
    }
    throw .invalidValue(type: change.type, identifier: change.identifier, reason: reason)
  }

  private func has(_ byte: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.baseAddress.map { memchr($0, byte, bytes.count) != nil } ?? false
  }
}

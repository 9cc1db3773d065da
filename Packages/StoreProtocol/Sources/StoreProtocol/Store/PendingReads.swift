@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import ModelCore

/// The reads of a scope that wait for an engine, and the models that were updated or deleted since they began.
///
/// A record may be older than its model if, since its read began, the model was saved, or updated by a later read.
/// Applying it would restore an older value, or make another object of a deleted record. The record was current at some
/// time between the beginning of the read and the answer of the engine. The order of two reads is known unless these
/// intervals overlap.
///
/// ```swift
/// let start = scope.pendingReads.begin()
/// defer { scope.pendingReads.end() }
/// let record = try await engine.read(identifier)
/// let answer = scope.pendingReads.answer(since: start)
/// if scope.isOutdated(type, identifier: identifier, readSince: start) {
///   …  // read again
/// }
/// scope.pendingReads.noteRead(of: [model], at: answer)
/// ```
@_spi(ModelKitInternals)
public final class PendingReads {
  /// The beginning of a read, or the answer to it.
  public struct Moment: Sendable {
    fileprivate let number: Int

    /// A time that may be earlier than any pending read.
    public static let unknown = Moment(number: 0)
  }

  private var count = 0
  private var latest = 0
  /// The number of the latest save or read of a model since the oldest pending read began. If a model reuses the
  /// address of a released one, its record may be read twice.
  private var updates: [ObjectIdentifier: Int] = [:]
  private var updatedTypes: [String: Int] = [:]
  /// The models that were saved since the oldest pending read began.
  private var saves: [ObjectIdentifier: SavedModel] = [:]
  /// The records that were deleted since the oldest pending read began.
  private var deletions: [Record: Deletion] = [:]
  /// The records of which a write was rolled back since the oldest pending read began.
  private var rollbacks: [Record: Int] = [:]

  private struct SavedModel {
    weak var model: ModelObject?
    let number: Int
  }

  private struct Deletion {
    let modelClass: ModelObject.Type
    let number: Int
    /// Whether the record exists, and only lost a link.
    let isCut: Bool
  }

  private struct Record: Hashable {
    let typeName: String
    let identifier: ExactText
  }

  init() {}

  /// Begins a read.
  public func begin() -> Moment {
    count += 1
    latest += 1
    return now
  }

  /// The beginning of another part of the same read.
  var now: Moment { Moment(number: latest) }

  /// Returns the time of an engine's answer. It is later than the beginning of all pending reads, whose order is
  /// unknown.
  public func answer(since start: Moment) -> Moment {
    // Without an overlap both are the same.
    if latest != start.number { latest += 1 }
    return now
  }

  /// Ends a read, whether it succeeded or not.
  public func end() {
    count -= 1
    if count == 0 { (updates, updatedTypes, saves, deletions, rollbacks) = ([:], [:], [:], [:], [:]) }
  }

  /// Records the save of a model: reads that began before it have no newer values.
  public func noteUpdate(of model: ModelObject) {
    if count == 0 { return }
    latest += 1
    updates[ObjectIdentifier(model)] = latest
    updatedTypes[model.storedTypeName] = latest
    saves[ObjectIdentifier(model)] = SavedModel(model: model, number: latest)
  }

  /// Records the deletion of a record, or a change of one without a live model. Reads that began before it may have the
  /// old record.
  public func noteDeletion(_ modelClass: ModelObject.Type, _ identifier: String, isCut: Bool = false) {
    if count == 0 { return }
    latest += 1
    let record = Record(typeName: modelClass.typeName, identifier: ExactText(identifier))
    deletions[record] = Deletion(modelClass: modelClass, number: latest, isCut: isCut)
    updatedTypes[record.typeName] = latest
  }

  /// Records that an uncommitted write of a record was rolled back. Reads of its transaction that began before may have
  /// the bytes of that write.
  public func noteRollback(_ typeName: String, _ identifier: String) {
    if count == 0 { return }
    latest += 1
    rollbacks[Record(typeName: typeName, identifier: ExactText(identifier))] = latest
    updatedTypes[typeName] = latest
  }

  /// Returns whether a write of a record was rolled back since a read began.
  func wasRolledBack(_ typeName: @autoclosure () -> String, _ identifier: String, since start: Moment) -> Bool {
    if rollbacks.isEmpty { return false }
    return rollbacks[Record(typeName: typeName(), identifier: ExactText(identifier))].map { $0 > start.number } ?? false
  }

  /// Returns the models that were saved since a read began.
  public func saved(since start: Moment) -> [ModelObject] {
    saves.values.compactMap { $0.number > start.number ? $0.model : nil }
  }

  /// Records a read of models: reads that began before its answer may have no newer values.
  ///
  /// - Parameters:
  ///   - models: the models.
  ///   - moment: the time of the answer. For a server whose answer has no known time, the beginning of the read: the
  ///     read that was sent later wins.
  public func noteRead<M: ModelObject>(of models: some Sequence<M>, at moment: Moment) {
    // Relevant only to other reads.
    if count < 2 { return }
    note(models, moment.number)
  }

  /// Records a read of models without suspension: pending reads may have no newer values.
  public func noteImmediateRead<M: ModelObject>(of models: some Sequence<M>) {
    if count == 0 { return }
    latest += 1
    note(models, latest)
  }

  private func note<M: ModelObject>(_ models: some Sequence<M>, _ number: Int) {
    for model in models where number > updates[ObjectIdentifier(model)] ?? 0 {
      updates[ObjectIdentifier(model)] = number
      updatedTypes[model.storedTypeName] = max(number, updatedTypes[model.storedTypeName] ?? 0)
    }
  }

  /// Returns whether any model of a type was updated or deleted since a read began.
  public func hasUpdates(of typeName: String, since start: Moment) -> Bool {
    updatedTypes[typeName].map { $0 > start.number } ?? false
  }

  /// Returns whether a model was updated since a read began.
  public func isNewer(_ model: ModelObject, than start: Moment) -> Bool {
    updates[ObjectIdentifier(model)].map { $0 > start.number } ?? false
  }

  /// Returns whether a record was deleted, or changed without a live model, since a read began. It may have been created
  /// again by another writer.
  public func wasDeleted(_ typeName: @autoclosure () -> String, _ identifier: String, since start: Moment) -> Bool {
    if deletions.isEmpty { return false }
    let deletion = deletions[Record(typeName: typeName(), identifier: ExactText(identifier))]
    return deletion.map { $0.number > start.number } ?? false
  }

  /// Whether records were deleted, or changed without a live model, since the oldest pending read began.
  public var hasDeletions: Bool { !deletions.isEmpty }

  /// Returns the records that were deleted since a read began.
  fileprivate func deleted(since start: Moment) -> [(modelClass: ModelObject.Type, identifier: String)] {
    deletions.compactMap { $1.number > start.number && !$1.isCut ? ($1.modelClass, $0.identifier.text) : nil }
  }
}

@_spi(ModelKitInternals)
extension ModelScope {
  /// The reads of this scope that wait for an engine.
  public var pendingReads: PendingReads { activity.reads }

  /// Returns whether a record may be older than its live model, deleted, or rolled back by now.
  ///
  /// - Parameters:
  ///   - type: the class of the model.
  ///   - identifier: the identifier of the record.
  ///   - start: the beginning of the read of the record.
  ///   - mayBeUncommitted: whether the record may be that of an open transaction.
  public func isOutdated<M: Model>(
    _ type: M.Type, identifier: String, readSince start: PendingReads.Moment, mayBeUncommitted: Bool = true
  ) -> Bool {
    if mayBeUncommitted, pendingReads.wasRolledBack(M.typeName, identifier, since: start) { return true }
    let live = liveModel(type, identifier: identifier)
    if let live, pendingReads.isNewer(live, than: start) { return true }
    // A live model with values was read, or created, after a deletion of the record. An unloaded reference was not.
    if let live, !live.isUnloadedReference { return false }
    return pendingReads.wasDeleted(M.typeName, identifier, since: start)
  }

  /// Reads the records of an answer, and removes the models of those inside others that were deleted since the request
  /// was sent. A model that was created, or read, after the deletion stays.
  ///
  /// - Parameters:
  ///   - kept: the models that keep their values.
  ///   - start: the beginning of the read.
  ///   - body: reads the records.
  /// - Returns: the result, and the models that were read.
  public func reading<Result>(
    keeping kept: [ModelObject], since start: PendingReads.Moment, _ body: () throws -> Result
  ) rethrows -> (result: Result, models: [ModelObject]) {
    let deleted = pendingReads.deleted(since: start).map { record in
      (record: record, known: liveModel(of: record.modelClass, identifier: record.identifier))
    }.filter { $0.known?.isUnloadedReference != false }
    let read = try reading(keeping: kept, body)
    for (record, known) in deleted {
      guard let model = liveModel(of: record.modelClass, identifier: record.identifier),
        !pendingReads.isNewer(model, than: start)
      else { continue }
      discard(model, linkedFrom: read.models, staysReference: model === known && model.isUnloadedReference)
    }
    return read
  }
}

@_spi(ModelKitInternals)
extension ModelStore {
  /// Creates or updates models from stored records that were read before. Live models that were updated since are
  /// unchanged, and records that were deleted since are left out.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - count: the number of records.
  ///   - start: the beginning of the read.
  ///   - identifier: returns the identifier of the record with a number; nil if it has none.
  ///   - read: creates or updates models from the records with some numbers.
  /// - Throws: the errors of `read`.
  public func models<M: Model>(
    _ type: M.Type, count: Int, readSince start: PendingReads.Moment, identifier: (Int) throws -> String?,
    read: ([Int]) throws -> [M]
  ) rethrows -> [M] {
    // Nil for a record that was deleted.
    var outdated: [Int: M?] = [:]
    if scope.pendingReads.hasUpdates(of: M.typeName, since: start) {
      for number in 0..<count {
        guard let identifier = try identifier(number),
          scope.isOutdated(type, identifier: identifier, readSince: start, mayBeUncommitted: false)
        else { continue }
        // An unloaded reference to a deleted record is no model of the answer.
        let live = scope.liveModel(type, identifier: identifier)
        outdated[number] = .some(live.flatMap { scope.pendingReads.isNewer($0, than: start) ? $0 : nil })
      }
    }
    let current = try read((0..<count).filter { outdated[$0] == nil })
    scope.pendingReads.noteRead(of: current, at: start)
    if outdated.isEmpty { return current }
    var rest = current[...]
    return (0..<count).compactMap { number in
      if let live = outdated[number] { live } else { rest.popFirst() }
    }
  }

  /// Returns the bytes of records that were read before. Records that were deleted, or whose live models were updated,
  /// since are read again.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - records: the identifiers and the bytes of one JSON object each.
  ///   - start: the beginning of the read.
  ///   - answer: the time of the answer, which is later afterwards if records were read again.
  ///   - current: reads the record of an identifier; nil if it was deleted.
  /// - Returns: the bytes of each record; nil for one that was deleted since. Create the models from them without
  ///   suspension.
  public func currentRecords<M: Model>(
    _ type: M.Type, _ records: [(identifier: String, bytes: [UInt8])], readSince start: PendingReads.Moment,
    answeredAt answer: inout PendingReads.Moment, current: (String) async throws -> [UInt8]?
  ) async throws -> [[UInt8]?] {
    scope.prepareToRead()
    var (bytes, start): ([[UInt8]?], _) = (records.map(\.bytes), start)
    while scope.pendingReads.hasUpdates(of: M.typeName, since: start) {
      let stale = records.indices.filter {
        scope.isOutdated(type, identifier: records[$0].identifier, readSince: start)
      }
      if stale.isEmpty { break }
      start = scope.pendingReads.now
      for index in stale { bytes[index] = try await current(records[index].identifier) }
      answer = scope.pendingReads.answer(since: start)
      // A record may be that of a model whose creation is not finished here.
      try await scope.creations.waitForCreations(of: M.typeName)
    }
    return bytes
  }
}

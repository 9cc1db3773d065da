@_spi(ModelKitInternals) public import ModelCore

/// The reads of a scope that wait for an engine, and the live models that became newer meanwhile.
///
/// A record is older than its model if the model was saved, or made of a record that another task began to read later.
/// Applied nevertheless, it would bring back an older value.
///
/// ```swift
/// let start = scope.pendingReads.begin()
/// defer { scope.pendingReads.end() }
/// let record = try await engine.read(identifier)
/// if scope.pendingReads.isNewer(model, than: start) { … }  // read again
/// scope.pendingReads.noteRead(of: [model], since: start)
/// ```
@_spi(ModelKitInternals)
public final class PendingReads {
  /// The beginning of a read.
  public struct Start {
    fileprivate let number: Int
  }

  private var count = 0
  private var latest = 0
  /// The number of the latest save of a model, or of the beginning of the read that gave it its values, since a read began that still waits. A model that took the place of a
  /// released one in memory may be found here, too: then a record is read twice.
  private var updates: [ObjectIdentifier: Int] = [:]
  private var updatedTypes: [String: Int] = [:]

  init() {}

  /// Begins a read.
  public func begin() -> Start {
    count += 1
    latest += 1
    return now
  }

  /// The beginning of another part of the same read.
  public var now: Start { Start(number: latest) }

  /// Ends a read, whether it succeeded or not.
  public func end() {
    count -= 1
    if count == 0 { (updates, updatedTypes) = ([:], [:]) }
  }

  /// Notes that a model now shows what was written, so that reads that began before bring nothing newer.
  public func noteUpdate(of model: ModelObject) {
    if count == 0 { return }
    latest += 1
    updates[ObjectIdentifier(model)] = latest
    updatedTypes[model.storedTypeName] = latest
  }

  /// Notes that models have the values of a read, so that reads that began before it bring nothing newer.
  public func noteRead(of models: some Sequence<ModelObject>, since start: Start) {
    // Without another read there is none to which it matters.
    if count < 2 { return }
    for model in models where start.number > updates[ObjectIdentifier(model)] ?? 0 {
      updates[ObjectIdentifier(model)] = start.number
      updatedTypes[model.storedTypeName] = max(start.number, updatedTypes[model.storedTypeName] ?? 0)
    }
  }

  /// Whether any model of a type was updated since a read began.
  public func hasUpdates(of typeName: String, since start: Start) -> Bool {
    updatedTypes[typeName].map { $0 > start.number } ?? false
  }

  /// Whether a model was updated since a read began.
  public func isNewer(_ model: ModelObject, than start: Start) -> Bool {
    updates[ObjectIdentifier(model)].map { $0 > start.number } ?? false
  }
}

@_spi(ModelKitInternals)
extension ModelScope {
  /// The reads of this scope that wait for an engine.
  public var pendingReads: PendingReads { activity.reads }
}

@_spi(ModelKitInternals)
extension ModelStore {
  /// Makes models from the bytes of stored records that were read a while ago: those of live models that were updated since
  /// are read again.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - records: the identifiers and the bytes of one JSON object each.
  ///   - start: the beginning of the read.
  ///   - current: reads the record of an identifier; nil if it was deleted. Its model is left out then.
  /// - Throws: ``ModelStoreError`` with the code `corrupt` and the identifier of the first record that does not fit the model;
  ///   nothing is changed then.
  public func models<M: Model>(
    _ type: M.Type, from records: [(identifier: String, bytes: [UInt8])], readSince start: PendingReads.Start,
    current: (String) async throws -> [UInt8]?
  ) async throws -> [M] {
    let records = try await currentRecords(type, records, readSince: start, current: current)
    return try models(type, fromBytes: records.map(\.bytes)) { records[$0].identifier }
  }

  /// Makes models from stored records that were read a while ago, as ``models(_:from:)`` does: live models that were updated
  /// since stay as they are.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - count: the number of records.
  ///   - start: the beginning of the read.
  ///   - identifier: the identifier of the record of a number; nil if it has none.
  ///   - read: makes models of the records of some numbers.
  /// - Throws: what `read` throws.
  public func models<M: Model>(
    _ type: M.Type, count: Int, readSince start: PendingReads.Start, identifier: (Int) throws -> String?,
    read: ([Int]) throws -> [M]
  ) rethrows -> [M] {
    var newer: [Int: M] = [:]
    if scope.pendingReads.hasUpdates(of: M.typeName, since: start) {
      for number in 0..<count {
        guard let live = try identifier(number).flatMap({ scope.liveModel(type, identifier: $0) }),
          scope.pendingReads.isNewer(live, than: start)
        else { continue }
        newer[number] = live
      }
    }
    let older = try read((0..<count).filter { newer[$0] == nil })
    scope.pendingReads.noteRead(of: older, since: start)
    if newer.isEmpty { return older }
    var rest = older[...]
    return (0..<count).compactMap { newer[$0] ?? rest.popFirst() }
  }

  /// Reads those records again whose live models were updated since they were read.
  public func currentRecords<M: Model>(
    _ type: M.Type, _ records: [(identifier: String, bytes: [UInt8])], readSince start: PendingReads.Start,
    current: (String) async throws -> [UInt8]?
  ) async throws -> [(identifier: String, bytes: [UInt8])] {
    var (records, start) = (records, start)
    while scope.pendingReads.hasUpdates(of: M.typeName, since: start) {
      let stale = records.indices.filter { index in
        scope.liveModel(type, identifier: records[index].identifier).map {
          scope.pendingReads.isNewer($0, than: start)
        } ?? false
      }
      if stale.isEmpty { break }
      start = scope.pendingReads.now
      var deleted: Set<Int> = []
      for index in stale {
        if let bytes = try await current(records[index].identifier) {
          records[index].bytes = bytes
        } else {
          deleted.insert(index)
        }
      }
      if !deleted.isEmpty { records = records.indices.filter { !deleted.contains($0) }.map { records[$0] } }
    }
    return records
  }
}

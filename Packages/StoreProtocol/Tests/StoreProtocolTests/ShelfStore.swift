import StoreEngine
import Synchronization

/// A store with every capability, of the article "Writing a store".
final class ShelfStore: RecordStore<ShelfEngine>, TransactionalModelStore {}

/// Keeps records in a list per type.
final class ShelfEngine: RecordEngine {
  /// All records as a value: each copy is a snapshot.
  struct Shelves: RecordSnapshot {
    private var shelves: [String: [StoredRecord]] = [:]
    private var lastIntegers: [String: Int] = [:]
    private var writes: UInt64 = 0

    func record(_ type: String, _ identifier: String) -> StoredRecord? {
      index(type, identifier).flatMap { shelves[type]?[$0] }
    }

    func records(_ type: String, after: UInt64, atMost: Int) -> RecordPart {
      RecordPart((shelves[type] ?? []).filter { $0.order > after }, next: nil)
    }

    func count(_ type: String) -> Int { shelves[type]?.count ?? 0 }

    mutating func nextInteger(_ type: String) -> Int? {
      lastIntegers[type, default: 0] += 1
      return lastIntegers[type]
    }

    mutating func apply(_ operation: RecordOperation) {
      let (type, id) = (operation.type, operation.identifier)
      let bytes = Array(operation.value)
      writes += 1
      guard let index = index(type, id) else {
        let record = StoredRecord(id, bytes, order: writes, revision: writes)
        shelves[type, default: []].append(record)
        let last = max(lastIntegers[type] ?? 0, Int(id) ?? 0)
        return lastIntegers[type] = last
      }
      let old = shelves[type]?.remove(at: index)
      guard operation.operation == .update, let old else { return }
      let record = StoredRecord(id, bytes, order: old.order, revision: writes)
      shelves[type]?.insert(record, at: index)
    }

    private func index(_ type: String, _ id: String) -> Int? {
      shelves[type]?.firstIndex { $0.identifier.utf8.elementsEqual(id.utf8) }
    }
  }

  let changeFeed = StoreChangeFeed()
  let conflictTrackers = ConflictTrackers()
  private let shelves = Mutex(Shelves())

  func snapshot(pinned: Bool) -> Shelves { shelves.withLock { $0 } }
  func nextInteger(for type: String) -> Int? {
    shelves.withLock { $0.nextInteger(type) }
  }

  func commit(_ batch: RecordBatch) throws {
    try shelves.withLock { shelves in
      try batch.validate { shelves.record($0, $1)?.revision }
      conflictTrackers.note(batch.operations)
      for operation in batch.operations { shelves.apply(operation) }
      changeFeed.append(batch.changes)
    }
    changeFeed.deliver()
  }
}

@_spi(ModelKitInternals) import StoreProtocol

/// What the fronts of a memory store share: the records, and the lock that guards them.
///
/// ```swift
/// let handle = store.handle
/// Task {
///   let front = MemoryModelStore(handle)
///   print(try await front.list(Person.self).count)
/// }
/// ```
public final class MemoryEngine: Sendable {
  private let tables = Lock<[String: Table]>([:])

  init() {}

  /// The records of one type, in the order of their creation.
  private struct Table {
    /// Nil where a record was removed; closed up when half of the places are empty.
    var records: [AttributeDictionary?] = []
    var places: [String: Int] = [:]
    var lastInteger = 0

    mutating func insert(_ record: AttributeDictionary, identifier: String) {
      places[identifier] = records.count
      records.append(record)
      if let integer = Int(identifier) { lastInteger = max(lastInteger, integer) }
    }

    mutating func remove(identifier: String) -> Bool {
      guard let place = places.removeValue(forKey: identifier) else { return false }
      records[place] = nil
      if records.count > 32, places.count * 2 < records.count {
        let ordered = places.sorted { $0.value < $1.value }
        records = ordered.map { records[$0.value] }
        for (place, entry) in ordered.enumerated() { places[entry.key] = place }
      }
      return true
    }
  }

  /// An integer that no record of the type has or had, nor gets from another call.
  func nextInteger(for type: String) -> Int {
    tables.withLock { tables in
      tables[type, default: Table()].lastInteger += 1
      return tables[type]?.lastInteger ?? 1
    }
  }

  /// Adds records, all or none.
  func insert(_ additions: [(type: String, identifier: String, record: AttributeDictionary)]) throws {
    try tables.withLock { tables in
      var added = Set<String>()
      for (type, identifier, _) in additions {
        // A type name can't contain a line break, so the pair is unique.
        let isNew = added.insert("\(type)\n\(identifier)").inserted
        if !isNew || tables[type]?.places[identifier] != nil {
          throw ModelStoreError.conflict(type, identifier: identifier)
        }
      }
      for (type, identifier, record) in additions {
        tables[type, default: Table()].insert(record, identifier: identifier)
      }
    }
  }

  /// Replaces values of a record in one step, so that fronts that write different fields don't undo each other.
  func update(_ type: String, identifier: String, changes: [StoredValue]) throws {
    try tables.withLock { tables in
      guard let place = tables[type]?.places[identifier], var record = tables[type]?.records[place] else {
        throw ModelStoreError.notFound(type, identifier: identifier)
      }
      for change in changes { change.write(to: &record) }
      tables[type]?.records[place] = record
    }
  }

  func remove(_ type: String, identifier: String) throws {
    let removed = tables.withLock { $0[type]?.remove(identifier: identifier) ?? false }
    if !removed { throw ModelStoreError.notFound(type, identifier: identifier) }
  }

  func record(_ type: String, identifier: String) -> AttributeDictionary? {
    tables.withLock { tables in
      guard let table = tables[type], let place = table.places[identifier] else { return nil }
      return table.records[place]
    }
  }

  func records(_ type: String) -> [AttributeDictionary] {
    tables.withLock { $0[type]?.records ?? [] }.compactMap { $0 }
  }
}

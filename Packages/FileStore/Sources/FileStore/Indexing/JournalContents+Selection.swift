@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The key of a record, for building an index.
struct RecordKey: Sendable {
  let ordinal: UInt64
  let revision: UInt64
  let key: IndexKey?

  /// Whether the record could not be read.
  let isUnread: Bool
}

extension JournalContents {
  /// Returns the records that a query has to test.
  ///
  /// - Parameters:
  ///   - orderedLimit: the largest number of records to read in the order of an index.
  ///   - offset: the number of records that the query skips.
  ///   - position: the position after which records are found; nil for the beginning.
  func select(
    of type: String, _ planner: QueryPlanner, orderedLimit: Int, offset: Int = 0, after position: QueryPosition? = nil
  ) -> IndexedRecords<FileSnapshot.Location> {
    withIndex { index in
      guard let type = index.number(of: type) else {
        return IndexedRecords<FileSnapshot.Location>(plan: .all(0), records: nil, hasMore: false)
      }
      return IndexedRecords(
        planner, index.fields[type].map(\.keys), totalCount: index.types[type].liveCount, orderedLimit: orderedLimit,
        offset: offset, after: position
      ) { ordinal, isNewKey in
        index.entry(type: type, ordinal: UInt64(ordinal)).map { entry in
          IndexedRecord(
            location: FileSnapshot.Location(position: entry.place, type: index.names[type], revision: entry.revision),
            order: entry.ordinal, identifier: index.types[type].identifier(of: entry), isNewKey: isNewKey)
        }
      }
    }
  }

  /// Returns the plan of a query, and the first record of an index that answers it; nil if none does.
  func first(
    of type: String, _ planner: QueryPlanner
  ) -> (plan: QueryPlan, record: IndexedRecord<FileSnapshot.Location>?)? {
    withIndex { index -> (plan: QueryPlan, record: IndexedRecord<FileSnapshot.Location>?)? in
      guard let type = index.number(of: type) else { return nil }
      let indexes = index.fields[type].map(\.keys)
      let plan = planner.plan(with: indexes, totalCount: index.types[type].liveCount)
      guard plan.isSortedByIndex, plan.isExact else { return nil }
      var record: IndexedRecord<FileSnapshot.Location>?
      plan.forEachInOrder(indexes) { ordinal, _ in
        guard let entry = index.entry(type: type, ordinal: UInt64(ordinal)) else { return true }
        record = IndexedRecord(
          location: FileSnapshot.Location(position: entry.place, type: index.names[type], revision: entry.revision),
          order: entry.ordinal, identifier: index.types[type].identifier(of: entry), isNewKey: true)
        return false
      }
      return (plan, record)
    }
  }

  /// Returns the number of different values of an indexed field, and that of all records; nil if it is unknown.
  func distinctCount(of type: String, _ field: StoredKeyPath) -> (count: Int, totalCount: Int)? {
    withIndex { index in
      guard let type = index.number(of: type), let found = index.fields[type].first(where: { $0.field == field })
      else { return nil }
      return found.keys.distinctCount.map { ($0, index.types[type].liveCount) }
    }
  }

  /// Returns the values of selected records. May wait for the disk.
  ///
  /// - Throws: ``SnapshotExpired``, ``FileEngineError/damaged(_:)``, ``FileSystemError``.
  func read(_ records: ArraySlice<IndexedRecord<FileSnapshot.Location>>) throws -> [[UInt8]] {
    var values: [[UInt8]] = []
    values.reserveCapacity(records.count)
    let selection = RecordSelection(records)
    do {
      try forEachRecord(selection) { number, line, value in
        guard let value else {
          throw FileEngineError.damaged(damage(at: selection.entries[number].place, in: line))
        }
        values.append(Array(line[value]))
      }
    } catch let error as FileSystemError where error.code == ENOENT {
      throw SnapshotExpired()
    }
    return values
  }

  /// Returns the keys of the records created after a cursor, and the next cursor. May wait for the disk.
  func keys(
    ofType type: Int, _ field: StoredKeyPath, after cursor: CreationCursor
  ) throws -> (keys: [RecordKey], next: CreationCursor?) {
    try readingAgainIfMoved {
      let (selection, next) = try withIndex { index in
        let (entries, next) = try index.liveEntries(ofType: type, after: cursor, limit: 4_096, byteLimit: 1 << 22)
        return (index.selection(entries, ofType: type), next)
      }
      let entries = selection.entries
      var keys: [RecordKey] = []
      keys.reserveCapacity(entries.count)
      try forEachRecord(selection) { number, line, value in
        // An unreadable record has no key: a read of it reports the error.
        let key = value.flatMap { field.key(in: UnsafeRawBufferPointer(rebasing: line[$0])) }
        keys.append(
          RecordKey(
            ordinal: entries[number].ordinal, revision: entries[number].revision, key: key, isUnread: value == nil))
      }
      return (keys, next)
    }
  }

  /// Completes an index that was built during writes, and maintains it from now on. Only for the writing thread.
  ///
  /// - Parameters:
  ///   - known: the keys in the index, in the order of their records.
  ///   - start: the cursor at which reading them began.
  /// - Throws: ``FileEngineError/taken(type:identifier:field:holder:)`` if two records have the same value of a unique
  ///   index; ``RecordsWereReplaced``.
  func add(_ index: FieldIndex, type: Int, name: String, known: [RecordKey], since start: CreationCursor) throws {
    // Another task may have indexed the field meanwhile. Its index is complete, and stays unique if it is.
    if withIndex({ $0.fields[type].contains { $0.field == index.field } }) {
      if index.isUnique { try setUnique(index.field, type: type, name: name) }
      return
    }
    var added = index
    let stored = try withIndex { index throws(RecordsWereReplaced) in
      try index.check(start)
      return index.types[type]
    }
    var next = 0
    for entry in stored.entries where entry.isLive {
      while next < known.count, known[next].ordinal < entry.ordinal {
        added.keys.remove(known[next].key, Int(known[next].ordinal))
        next += 1
      }
      if next < known.count, known[next].ordinal == entry.ordinal {
        defer { next += 1 }
        if known[next].revision == entry.revision {
          if known[next].isUnread { added.unread.insert(entry.ordinal) }
          continue
        }
        added.keys.remove(known[next].key, Int(entry.ordinal))
      }
      let value = try? read(entry, name, stored.identifier(of: entry))
      if value == nil { added.unread.insert(entry.ordinal) }
      let key = value.flatMap { added.field.key(in: $0) }
      added.keys.insert(key, Int(entry.ordinal))
    }
    for rest in known[next...] { added.keys.remove(rest.key, Int(rest.ordinal)) }
    try refuseDuplicate(in: added, type: type, name: name)
    withIndex { $0.fields.put(added, type: type) }
  }

  /// Makes an index unique from now on.
  func setUnique(_ field: StoredKeyPath, type: Int, name: String) throws {
    guard var index = withIndex({ $0.fields[type].first { $0.field == field } }), !index.isUnique else { return }
    index.isUnique = true
    try refuseDuplicate(in: index, type: type, name: name)
    withIndex { $0.fields.put(index, type: type) }
  }

  private func refuseDuplicate(in index: FieldIndex, type: Int, name: String) throws {
    guard index.isUnique, let (place, other) = index.keys.firstDuplicate else { return }
    let (identifier, holder) = withIndex { contents in
      func identifier(_ ordinal: Int) -> String {
        contents.entry(type: type, ordinal: UInt64(ordinal)).map { contents.types[type].identifier(of: $0) } ?? "?"
      }
      return (identifier(place), identifier(other))
    }
    throw FileEngineError.duplicates(
      type: name, field: index.field.description, identifier: identifier, holder: holder)
  }

  /// Returns another state of the journal index, with the same numbers of types, and with rebuilt indexes of the same
  /// fields.
  func indexing(_ indexes: FieldIndexes, of other: JournalIndex) throws -> JournalIndex {
    var other = other
    let contents = with(other)
    for type in indexes.types {
      for index in indexes[type] {
        var all: [RecordKey] = []
        var cursor: CreationCursor? = .start
        while let position = cursor {
          let (keys, next) = try contents.keys(ofType: type, index.field, after: position)
          all += keys
          cursor = next
        }
        let keys = OrderedIndex(all.map { (key: $0.key, place: Int($0.ordinal)) })
        other.fields.put(FieldIndex(field: index.field, isUnique: index.isUnique, keys: keys), type: type)
      }
    }
    return other
  }
}

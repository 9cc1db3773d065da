@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// A snapshot of the records of a file store.
public struct FileSnapshot: RecordSnapshot {
  /// The location of a record in the files.
  public struct Location: Sendable {
    let position: RecordLocation
    let type: [UInt8]
    let revision: UInt64
  }

  let contents: JournalContents
  let engine: FileEngine
  let unreadable: UnreadableRecords

  /// The types whose losses were reported, so that a call reports each only once.
  private let admitted = LossReports()

  init(contents: JournalContents, engine: FileEngine, unreadable: UnreadableRecords) {
    (self.contents, self.engine, self.unreadable) = (contents, engine, unreadable)
  }

  /// Reports the losses of which a read of a type may lack records, or throws the error of the first.
  func admit(_ type: String) throws {
    let losses = contents.losses(of: type)
    if losses.isEmpty || !admitted.types.withLock({ $0.insert(ExactText(type)).inserted }) { return }
    try unreadable.skip(losses, of: type)
  }

  /// Returns a record; nil if there is none.
  ///
  /// - Throws: `ModelStoreError` with the code `corrupt` if it can't be read, or a later revision may be lost.
  public func record(_ type: String, _ identifier: String) async throws -> StoredRecord? {
    try unreadable.refuse(contents.loss(of: type, identifier), type, identifier)
    return try await engine.readableRecord(type, identifier, at: contents)
  }

  /// Returns records of a type in the order of their creation.
  public func records(_ type: String, after order: UInt64, atMost limit: Int) async throws -> RecordPart {
    try admit(type)
    return try await translating {
      let chunk = try await engine.readChunk(type, after: CreationCursor(ordinal: order), limit: limit, at: contents)
      var part = RecordPart(chunk.records, next: chunk.next?.ordinal)
      part.unreadable = zip(chunk.damagedIdentifiers, chunk.damages).map { identifier, issue in
        (identifier, ModelStoreError.damaged(type, identifier, issue))
      }
      return part
    }
  }

  /// Returns the number of records of a type.
  ///
  /// - Throws: `ModelStoreError` with the code `corrupt` if records may be lost.
  public func count(_ type: String) throws -> Int {
    try admit(type)
    return contents.count(of: type)
  }

  /// The epoch of positions: it changes when the journal is read again.
  public var epoch: Int { contents.withIndex { $0.epoch } }

  /// Returns the position of the last of the first `count` records of a type; 0 for none.
  public func order(ofLast count: Int, of type: String) -> UInt64? {
    if count == 0 { return 0 }
    return contents.withIndex { index in index.number(of: type).map { index.types[$0].ordinal(ofLast: count) } ?? 0 }
  }

  /// Returns the position of a record in the order of creation.
  public func order(of identifier: String, _ type: String) -> UInt64? { contents.entry(type, identifier)?.ordinal }

  /// Returns the indexes of a type; nil if they lack records that could not be read.
  public func indexes(of type: String) -> RecordIndexes<Location>? {
    // A query that tests all records reports the unreadable ones.
    if !contents.hasAllKeys(type) { return nil }
    return RecordIndexes(fields: contents.indexedFields(type), scatteredCost: 6) {
      planner, orderedLimit, offset, position in
      let selected = contents.select(
        of: type, planner, orderedLimit: orderedLimit, offset: offset, after: position)
      // Otherwise all records are read.
      if selected.records != nil { try admit(type) }
      return selected
    } count: { [contents] planner in
      contents.losses(of: type).isEmpty ? contents.count(type, planner) : nil
    } plan: { [contents] planner in
      contents.plan(type, planner)
    } read: { [engine, contents] records in
      try await translating {
        try Task.checkCancellation()
        return try await engine.reading { try contents.read(records) }
      }
    }
  }
}

@_spi(ModelKitInternals)
extension FileSnapshot: IndexedSnapshot {
  /// Returns the fields of the indexes of a type; none if records were lost or not read.
  public func fieldsOfIndexes(_ type: String) -> [StoredKeyPath] {
    contents.hasAllKeys(type) && contents.losses(of: type).isEmpty ? contents.indexedFields(type) : []
  }

  /// Returns the first record of the index that answers a query.
  public func first(
    _ type: String, _ planner: QueryPlanner
  ) async throws -> (plan: QueryPlan, record: [UInt8]?)? {
    guard let (plan, first) = contents.first(of: type, planner) else { return nil }
    guard let first else { return (plan, nil) }
    let bytes = try await translating {
      try Task.checkCancellation()
      return try await engine.reading { try contents.read([first][...]) }
    }
    return (plan, bytes.first)
  }

  /// Returns the number of different values of an indexed field.
  public func distinctCount(_ type: String, _ field: StoredKeyPath) -> (count: Int, totalCount: Int)? {
    contents.distinctCount(of: type, field)
  }
}

@_spi(ModelKitInternals)
extension FileSnapshot: ScanningSnapshot {
  /// Returns scans of all records of a type. A scan reads the next records from the files while it delivers some.
  public func scans(of type: String, inParts count: Int) throws -> [any RecordScan] {
    try admit(type)
    return contents.parts(of: type, count: count).map { start, count in
      FileScan(engine: engine, contents: contents, type: type, start: start, count: count)
    }
  }

  /// Calls a closure with the bytes of each record that indexes select.
  public func scan(
    _ type: String, selectedBy planner: QueryPlanner, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) async throws -> QueryPlan? {
    guard contents.hasAllKeys(type) else { return nil }
    let selected = contents.select(of: type, planner, orderedLimit: .max, offset: 0, after: nil)
    guard let records = selected.records else { return nil }
    try admit(type)
    for start in stride(from: 0, to: records.count, by: 1_024) {
      let slice = records[start..<min(start + 1_024, records.count)]
      let (engine, contents) = (engine, contents)
      let values = try await translating {
        try Task.checkCancellation()
        return try await engine.reading { try contents.read(slice) }
      }
      for value in values where try !value.withUnsafeBytes(body) { return selected.plan }
    }
    return selected.plan
  }
}

/// A scan of some records that follow each other.
private struct FileScan: RecordScan {
  let engine: FileEngine
  let contents: JournalContents
  let type: String
  let start: CreationCursor
  let count: Int

  func forEach(_ body: (UnsafeRawBufferPointer) throws -> Bool) async throws -> Bool {
    if count == 0 { return true }
    var heads = RecordLineHeads()
    var rest = count
    var read = try await pieces(after: start, atMost: rest)
    while rest > read.count, let next = read.next {
      rest -= read.count
      let limit = rest
      async let following = pieces(after: next, atMost: limit)
      let end = try contents.forEachValue(in: read, &heads, body)
      if end != .complete { return end == .satisfied }
      read = try await following
    }
    return try contents.forEachValue(in: read, &heads, body) != .damaged
  }

  private func pieces(after cursor: CreationCursor, atMost limit: Int) async throws -> RecordPieces {
    try await translating { try await engine.readPieces(type, after: cursor, limit: min(limit, 16_384), at: contents) }
  }
}

/// The types whose losses a snapshot has reported.
private final class LossReports: Sendable {
  let types = Lock<Set<ExactText>>([])
}

extension Chunk {
  /// The readable records.
  var records: [StoredRecord] {
    rows.map {
      StoredRecord(
        $0.identifier, Array(value($0)), order: $0.ordinal,
        revision: TypeIndex.Entry.version($0.revision, ordinal: $0.ordinal))
    }
  }
}

extension StoredRecord {
  /// Creates the record of an entry of the index.
  init(_ identifier: String, _ bytes: [UInt8], of entry: TypeIndex.Entry) {
    self.init(
      identifier, bytes, order: entry.ordinal, revision: entry.version(ofRevision: entry.revision))
  }
}

extension FileEngine {
  /// Returns a snapshot of the contents.
  ///
  /// - Parameter keepsFiles: whether all files stay readable, even if a compaction removes them.
  func moment(keepsFiles: Bool) async throws -> JournalContents {
    let contents = try await contents()
    try Task.checkCancellation()
    return keepsFiles
      ? try await reading { try contents.moment(keepsFiles: true) } : try contents.moment(keepsFiles: false)
  }

  /// Returns the contents of a snapshot; nil for the current contents.
  func contents(at moment: JournalContents?) async throws -> JournalContents {
    if let moment { return moment }
    return try await contents()
  }

  /// Returns a record; nil if there is none.
  ///
  /// - Throws: `ModelStoreError` with the code `corrupt` and the identifier if it can't be read.
  func readableRecord(
    _ type: String, _ identifier: String, at moment: JournalContents? = nil
  ) async throws -> StoredRecord? {
    try await translating {
      do {
        return try await record(type, identifier, at: moment)
      } catch FileEngineError.damaged(let issue) {
        throw ModelStoreError.damaged(type, identifier, issue)
      }
    }
  }

  /// Returns a part of the models of a type in a snapshot.
  func readChunk(
    _ type: String, after cursor: CreationCursor, limit: Int = 1_000, byteLimit: Int = 1 << 20,
    at moment: JournalContents
  ) async throws -> Chunk {
    try Task.checkCancellation()
    return try await reading { try moment.chunk(of: type, after: cursor, limit: limit, byteLimit: byteLimit) }
  }

  /// Returns a part of the models of a type in a snapshot, as the bytes of the files.
  func readPieces(
    _ type: String, after cursor: CreationCursor, limit: Int = 16_384, byteLimit: Int = 4 << 20,
    at moment: JournalContents
  ) async throws -> RecordPieces {
    try Task.checkCancellation()
    return try await reading { try moment.pieces(of: type, after: cursor, limit: limit, byteLimit: byteLimit) }
  }

  /// Returns a part of the models of a type in a snapshot, as one JSON list.
  func readList(
    _ type: String, after cursor: CreationCursor, limit: Int = 4_096, byteLimit: Int = 1 << 20,
    at moment: JournalContents
  ) async throws -> RecordList {
    try Task.checkCancellation()
    return try await reading { try moment.list(of: type, after: cursor, limit: limit, byteLimit: byteLimit) }
  }
}

extension JournalContents {
  /// Returns the number of models of a type.
  func count(of type: String) -> Int {
    withIndex { index in index.number(of: type).map { index.types[$0].liveCount } ?? 0 }
  }

  /// Returns whether the indexes of a type were built from all of its records.
  func hasAllKeys(_ type: String) -> Bool {
    withIndex { index in index.number(of: type).map { index.fields[$0].allSatisfy(\.unread.isEmpty) } ?? true }
  }

  /// Returns the indexed fields, in the order of the indexes.
  func indexedFields(_ type: String) -> [StoredKeyPath] {
    withIndex { index in index.number(of: type).map { index.fields[$0].map(\.field) } ?? [] }
  }

  /// Returns the plan of a query.
  func plan(_ type: String, _ planner: QueryPlanner) -> QueryPlan {
    withIndex { index in
      guard let number = index.number(of: type) else { return .all(0) }
      return planner.plan(with: index.fields[number].map(\.keys), totalCount: index.types[number].liveCount)
    }
  }

  /// Returns the number of records that a query finds; nil if records have to be read for that.
  func count(_ type: String, _ planner: QueryPlanner) -> Int? {
    withIndex { index in
      guard let number = index.number(of: type) else { return 0 }
      let indexes = index.fields[number].map(\.keys)
      return planner.plan(with: indexes, totalCount: index.types[number].liveCount).exactCount(in: indexes)
    }
  }
}

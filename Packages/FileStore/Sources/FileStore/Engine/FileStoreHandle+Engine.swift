@_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension FileStoreHandle {
  /// The feed of the commits of all store instances, in their order. A commit is reported when it is as durable as the
  /// options require.
  ///
  /// A store that was opened for reading only reports the commits of another process, while it is observed.
  public var changeFeed: StoreChangeFeed { feeds.feed(of: engine) }

  /// The trackers of the open transactions. The first read opens the store.
  public var conflictTrackers: ConflictTrackers {
    get async throws { try await translating { try await engine.contents().conflictTrackers } }
  }

  /// Returns a snapshot of all records.
  ///
  /// - Parameter pinned: whether all files stay readable, even if a compaction removes them.
  public func snapshot(pinned: Bool) async throws -> FileSnapshot {
    try await translating {
      FileSnapshot(
        contents: try await engine.moment(keepsFiles: pinned), engine: engine, unreadable: options.unreadable)
    }
  }

  /// Returns the current records, without isolation from later commits.
  public func current() async throws -> FileSnapshot {
    try await translating {
      FileSnapshot(contents: try await engine.contents(), engine: engine, unreadable: options.unreadable)
    }
  }

  /// Commits a batch atomically with one write to the disk, even across a crash.
  ///
  /// - Throws: `RecordMismatch`, or `ModelStoreError`.
  public func commit(_ batch: RecordBatch) async throws {
    try await translating {
      do {
        try await engine.write(batch.operations, durability: options.durability, after: batch.reads)
      } catch let error as FileEngineError {
        throw error.mismatch ?? error
      }
    }
  }

  /// Returns an integer for a new record of a type: one more than the largest so far, including deleted records.
  public func nextInteger(for type: String) async throws -> Int? {
    try await translating { try await engine.reserveIntegerIdentifier(type) }
  }

  /// Returns a record; nil if there is none.
  ///
  /// - Throws: `ModelStoreError` with the code `corrupt` if it can't be read.
  public func read(_ type: String, _ identifier: String) async throws -> StoredRecord? {
    try await engine.readableRecord(type, identifier)
  }

  /// Returns a record, read on the caller's thread; nil if there is none, or the store is not open.
  public func readBlocking(_ type: String, _ identifier: String) throws -> StoredRecord? {
    try engine.readBlocking(type, identifier)
  }

  /// Returns the names of the types that have models.
  public func typeNames() async throws -> [String]? {
    try await translating { try await engine.types().filter { !StoreFormat.isReservedType($0) } }
  }

  /// Returns the write state of a type; nil in a read-only store.
  public func writeState(of type: String) async throws -> WriteState? {
    try await translating {
      if StoreFormat.isReservedType(type) { throw FileEngineError.reservedType(type) }
      let state = try await engine.state(of: type)
      return options.mode == .readWrite ? state : nil
    }
  }

  /// Creates an index of a field unless it exists.
  public func ensureIndex(_ type: String, _ field: StoredKeyPath) async throws {
    try await translating { try await engine.ensureIndex(type, field) }
  }

  /// Reads the records of a type.
  ///
  /// While the feed has consumers, the records are from one snapshot, which is taken between two commits: their live
  /// results apply the later ones. A read-only store loads all records before it calls `body`: if the writing process
  /// compacts the store during the read, the read restarts.
  public func readRecords(
    of type: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? {
    guard options.mode == .readOnly else {
      do {
        if feeds.isObserved(group) { return try await readSnapshot(of: type, body) }
        try await readParts(of: type, body)
      } catch let error as RecordsWereReplaced {
        throw ModelStoreError(
          .conflict, "The store was repaired while all \(type) were being read. Read them again.", cause: error)
      }
      return nil
    }
    var parts: [[StoredRecord]]?
    while parts == nil {
      var read: [[StoredRecord]] = []
      do {
        try await readParts(of: type) { read.append($0) }
        parts = read
      } catch is RecordsWereReplaced {
        continue
      }
    }
    for part in parts ?? [] { try await body(part) }
    return nil
  }

  /// - Returns: the position of the feed whose commits the records contain.
  private func readSnapshot(
    of type: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64 {
    if StoreFormat.isReservedType(type) { throw ModelStoreError(FileEngineError.reservedType(type)) }
    let feed = changeFeed
    let (contents, position) = try await translating {
      let contents = try await engine.contents()
      try Task.checkCancellation()
      // The writing thread has reported each commit that readers see. Opened files survive a compaction.
      return try await engine.writing { (try contents.moment(keepsFiles: true), feed.position) }
    }
    try FileSnapshot(contents: contents, engine: engine, unreadable: options.unreadable).admit(type)
    var cursor: CreationCursor? = .start
    while let start = cursor {
      let chunk = try await translating { try await engine.readChunk(type, after: start, at: contents) }
      try options.unreadable.skipDamage(in: chunk, of: type)
      try await body(chunk.records)
      cursor = chunk.next
    }
    return position
  }

  private func readParts(of type: String, _ body: ([StoredRecord]) async throws -> Void) async throws {
    if StoreFormat.isReservedType(type) { throw ModelStoreError(FileEngineError.reservedType(type)) }
    try await current().admit(type)
    var cursor: CreationCursor? = .start
    while let position = cursor {
      let chunk = try await translating { try await engine.readChunk(type, after: position) }
      try options.unreadable.skipDamage(in: chunk, of: type)
      try await body(chunk.records)
      cursor = chunk.next
    }
  }
}

extension FileEngineError {
  /// The mismatch of an operation and its record; nil for other errors.
  fileprivate var mismatch: RecordMismatch? {
    switch self {
    case .conflict(let type, let identifier): RecordMismatch(.exists, type, identifier, cause: self)
    case .notFound(let type, let identifier): RecordMismatch(.isMissing, type, identifier, cause: self)
    case .staleRevision(let type, let identifier): RecordMismatch(.wasChanged, type, identifier, cause: self)
    default: nil
    }
  }
}

/// Runs a call to the engine, and converts its errors to `ModelStoreError`.
@discardableResult
func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
  do {
    return try await body()
  } catch let error as FileEngineError {
    throw ModelStoreError(error)
  } catch let error as FileSystemError {
    throw ModelStoreError(error)
  } catch let error as CancellationError {
    throw ModelStoreError(.cancelled, "The task was cancelled. Nothing was written or read.", cause: error)
  }
}

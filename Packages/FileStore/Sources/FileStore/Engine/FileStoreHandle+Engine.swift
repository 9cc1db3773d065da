@_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension FileStoreHandle {
  /// The feed of the commits of all store instances, in their order, once they are as durable as the store promises.
  ///
  /// A store that was opened for reading only reports the commits of another process, while it is observed.
  public var changeFeed: StoreChangeFeed { feeds.feed(of: engine) }

  /// The transactions under way. The store is opened if it is not open.
  public var conflictTrackers: ConflictTrackers {
    get async throws { try await translating { try await engine.contents().conflictTrackers } }
  }

  /// Returns all records as they are now.
  ///
  /// - Parameter pinned: whether all files stay readable, whatever a compaction removes.
  public func snapshot(pinned: Bool) async throws -> FileSnapshot {
    try await translating {
      FileSnapshot(contents: try await engine.moment(keepsFiles: pinned), engine: engine)
    }
  }

  /// Returns all records as they are when they are read.
  public func current() async throws -> FileSnapshot {
    try await translating { FileSnapshot(contents: try await engine.contents(), engine: engine) }
  }

  /// Commits a batch with one write to the disk: all of it or nothing, also after a crash.
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

  /// Returns an integer for a new record of a type: one more than the largest so far, deleted records included.
  public func nextInteger(for type: String) async throws -> Int? {
    try await translating { try await engine.reserveIntegerIdentifier(type) }
  }

  /// Returns a record; nil if there is none.
  ///
  /// - Throws: `ModelStoreError` with the code `corrupt` if it can't be read.
  public func read(_ type: String, _ identifier: String) async throws -> StoredRecord? {
    try await engine.readableRecord(type, identifier)
  }

  /// Returns when records of a type were last written; nil in a store that was opened for reading only.
  public func writeState(of type: String) async throws -> WriteState? {
    try await translating {
      if StoreFormat.isReservedType(type) { throw FileEngineError.reservedType(type) }
      let state = try await engine.state(of: type)
      return options.mode == .readWrite ? state : nil
    }
  }

  /// Keeps an index of a field, unless there is one.
  public func keepIndex(_ type: String, _ field: StoredKeyPath) async throws {
    try await translating { try await engine.keepIndex(type, field) }
  }

  /// Goes through the records of a type.
  ///
  /// A read-only store loads all records before it calls `body`: the writing process may compact the store meanwhile, and
  /// then everything has to be read again.
  public func readRecords(
    of type: String, _ body: ([StoredRecord]) async throws -> Void
  ) async throws -> UInt64? {
    guard options.mode == .readOnly else {
      do {
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

  private func readParts(of type: String, _ body: ([StoredRecord]) async throws -> Void) async throws {
    if StoreFormat.isReservedType(type) { throw ModelStoreError(FileEngineError.reservedType(type)) }
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
  /// The record that is not as an operation expects it; nil for other errors.
  fileprivate var mismatch: RecordMismatch? {
    switch self {
    case .conflict(let type, let identifier): RecordMismatch(.exists, type, identifier, cause: self)
    case .notFound(let type, let identifier): RecordMismatch(.isMissing, type, identifier, cause: self)
    case .staleRevision(let type, let identifier): RecordMismatch(.wasChanged, type, identifier, cause: self)
    default: nil
    }
  }
}

/// Runs a call to the engine, and words its errors as those of a store.
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

@_spi(ModelKitInternals) import StoreEngine

/// The options of an engine: the layout of its files, and the way of writing them.
package struct FileEngineOptions: Sendable {
  package var journal = Journal.Options()

  /// The number of groups that keep their current file open. Using another group closes the file of the least recently
  /// used group.
  package var openGroups = 64

  /// The number of files of all groups that are kept open for reading.
  package var openFiles = 128

  /// The preallocated space for deletions and compactions on a full disk, in bytes; more for a large store. 0 for none.
  package var reserve: UInt64 = 1 << 20

  /// Whether the engine only reads, and follows the writes of another process.
  package var isReadOnly = false

  /// The receiver of each written batch of a group, called on the writing thread.
  package var reporter: (@Sendable (_ group: String, _ changes: [Change]) -> Void)?

  /// Receives the batches of another process that a read-only engine has read in a group, on the writing thread. The
  /// list is nil if the whole group was read again, as by a repair.
  package var followReporter: (@Sendable (_ group: String, _ batches: [[Change]]?) -> Void)?

  /// Returns whether a group has observers of followed batches.
  package var isFollowed: @Sendable (_ group: String) -> Bool = { _ in false }

  /// The interval at which a read-only engine polls an observed group.
  package var followInterval = Duration.milliseconds(250)

  /// An error of the options, which the first call throws.
  var refusal: FileEngineError?

  /// The declared migrations of the program; nil to accept records of any version.
  var migrations: MigrationPlan? = MigrationPlan()

  package init() {}
}

/// The storage engine of one group of a store. It stores bytes, and can be shared between tasks.
///
/// The groups of a store share a writing thread, and a thread for reads that wait for the disk. Neither blocks the
/// cooperative pool. Writes that arrive while the disk is busy are written together. The first call that needs the
/// store opens it, and each call throws until opening succeeds.
package final class FileEngine: Sendable {
  /// The group whose models this engine stores.
  package let group: String
  let service: FileEngineService

  /// Creates an engine for the default group of the store at `directory`. It opens nothing; the first call creates a
  /// missing directory.
  package convenience init(
    directory: String, options: FileEngineOptions = FileEngineOptions(),
    fileSystem: any FileSystem = PosixFileSystem(), clock: any EngineClock = SystemClock()
  ) {
    self.init(
      FileEngineService(directory: directory, options: options, fileSystem: fileSystem, clock: clock), group: "")
  }

  private init(_ service: FileEngineService, group: String) {
    self.service = service
    self.group = group
  }

  /// Returns the engine of another group of the same store, without opening it.
  package func group(_ name: String) -> FileEngine { FileEngine(service, group: name) }

  /// Opens the store and the group, if they are not open.
  ///
  /// - Returns: The issues that were found when they were opened. All other records are readable.
  /// - Throws: ``FileEngineError`` if the store is in use, or its format newer; ``FileSystemError``.
  @discardableResult
  package func open() async throws -> [IntegrityIssue] { try await service.contents(of: group).issues }

  /// Writes a batch atomically.
  ///
  /// If the task is cancelled before the write begins, nothing is written. After the write has begun, it completes, and
  /// the call returns normally.
  ///
  /// - Returns: The new revisions of the models, in the order of the changes; 1 for a new model.
  /// - Throws: ``FileEngineError/conflict(type:identifier:)`` or ``FileEngineError/notFound(type:identifier:)``,
  ///   checked at the commit; `CancellationError`; ``FileSystemError`` if the disk fails.
  @discardableResult
  package func write(_ changes: [Change], durability: Durability = .everyCommit) async throws -> [UInt64] {
    try await write(changes, durability: durability, after: nil)
  }

  /// Writes a batch unless one of the records that were read for it was written since.
  ///
  /// - Throws: as ``write(_:durability:)``; `ModelStoreError` with the code `conflict`, checked at the commit.
  @discardableResult
  func write(_ changes: [Change], durability: Durability, after reads: TrackedReads?) async throws -> [UInt64] {
    if changes.isEmpty, let conflict = reads?.conflict { throw conflict }
    if service.isReadOnly, !changes.isEmpty || reads == nil {
      throw FileEngineError.readOnly(directory: service.directory)
    }
    if let change = changes.first(where: { StoreFormat.isReservedType($0.type) }) {
      throw FileEngineError.reservedType(change.type)
    }
    _ = try await service.contents(of: group)
    try Task.checkCancellation()
    guard !changes.isEmpty else { return [] }
    do {
      return try await send(changes, durability, after: reads)
    } catch let error as FileSystemError where error.isAboutRoom && WriteRequest.areDeletion(changes) {
      // Deleted records occupy the space that is needed. Not all of it has to be freed.
      try? await service.compact(group)
      return try await send(changes, durability, after: reads, isLastResort: true)
    }
  }

  private func send(
    _ changes: [Change], _ durability: Durability, after reads: TrackedReads?, isLastResort: Bool = false
  ) async throws -> [UInt64] {
    let request = WriteRequest(
      group: group, changes: changes, durability: durability, after: reads, isLastResort: isLastResort)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard request.wait(with: continuation) else { return continuation.resume(throwing: CancellationError()) }
        if !service.send(.write(request)) { request.finish(.failure(service.closedError)) }
      }
    } onCancel: {
      request.withdraw()
    }
  }

  /// Returns a record of a snapshot, with its position in the order of creation; nil if there is none with this
  /// identifier.
  ///
  /// Does not wait for writes. Bytes in the system's cache are read on the caller's thread.
  ///
  /// - Throws: ``FileEngineError/damaged(_:)`` if the record does not match its checksum, or is another record.
  func record(
    _ type: String, _ identifier: String, at moment: JournalContents? = nil
  ) async throws -> StoredRecord? {
    let contents = try await contents(at: moment)
    try Task.checkCancellation()
    // Checking a very long record would block a main thread.
    guard let found = contents.entry(type, identifier) else { return nil }
    if found.place.length <= 1 << 16, let value = try contents.readWithoutWaiting(found, type, identifier) {
      return StoredRecord(identifier, value, of: found)
    }
    return try await service.reading {
      try contents.readingAgainIfMoved {
        try contents.entry(type, identifier).map {
          StoredRecord(identifier, try contents.read($0, type, identifier), of: $0)
        }
      }
    }
  }

  /// Returns a record, read on the caller's thread; nil if there is none, or the group was not opened.
  func readBlocking(_ type: String, _ identifier: String) throws -> StoredRecord? {
    guard let contents = knownContents else { return nil }
    return try contents.readingAgainIfMoved {
      try contents.entry(type, identifier).map {
        StoredRecord(identifier, try contents.read($0, type, identifier), of: $0)
      }
    }
  }

  /// Returns models of a type that were created after `cursor`, in the order of their creation.
  ///
  /// Reading chunk after chunk returns each model exactly once that exists all the time. Models that are created or
  /// deleted during the iteration may be included or not.
  ///
  /// - Parameters:
  ///   - limit: The largest number of models in the chunk.
  ///   - byteLimit: The chunk is complete when its records have this many bytes together.
  /// - Throws: ``RecordsWereReplaced`` if the cursor is one of a list that no longer exists: then restart.
  package func readChunk(
    _ type: String, after cursor: CreationCursor = .start, limit: Int = 1_000, byteLimit: Int = 1 << 20
  ) async throws -> Chunk {
    let contents = try await service.contents(of: group)
    try Task.checkCancellation()
    return try await service.reading {
      try contents.chunk(of: type, after: cursor, limit: max(limit, 1), byteLimit: max(byteLimit, 1))
    }
  }

  /// Returns the identifiers of a type's models, in the order of their creation, all from one snapshot.
  package func identifiers(_ type: String) async throws -> [String] {
    let stored = try await service.contents(of: group).withIndex { index in
      index.number(of: type).map { index.types[$0] }
    }
    try Task.checkCancellation()
    var identifiers: [String] = []
    if let stored {
      identifiers.reserveCapacity(stored.liveCount)
      stored.appendIdentifiers(0..<stored.entries.count, to: &identifiers)
    }
    return identifiers
  }

  /// Returns the types that have models, in the order in which they first appeared.
  package func types() async throws -> [String] {
    try await service.contents(of: group).withIndex { $0.typeNames.filter { $0 != ModelVersions.typeName } }
  }

  /// Reserves an integer for a new model of a type: one more than the largest so far, including deleted models. No
  /// other call returns it while the store is open.
  ///
  /// - Throws: ``FileEngineError/identifiersExhausted(type:)``.
  package func reserveIntegerIdentifier(_ type: String) async throws -> Int {
    if service.isReadOnly { throw FileEngineError.readOnly(directory: service.directory) }
    let identifier = try await service.contents(of: group).withIndex { index in
      index.reserveInteger(type: index.intern(type))
    }
    guard let identifier else { throw FileEngineError.identifiersExhausted(type: type) }
    return identifier
  }

  /// Returns the write state of a type, for callers that cache records.
  func state(of type: String) async throws -> WriteState {
    try await service.contents(of: group).withIndex { index in
      let number = index.intern(type)
      return index.states[number]
    }
  }

  /// Removes obsolete records from the journal. Reads and writes continue during the call.
  ///
  /// - Throws: `CancellationError` if the task was cancelled before the end of the compaction; nothing was changed
  ///   then. ``FileEngineError/damaged(_:)`` if a record can't be read.
  package func compact() async throws {
    if service.isReadOnly { throw FileEngineError.readOnly(directory: service.directory) }
    _ = try await service.contents(of: group)
    try await service.compact(group)
  }

  /// Reads the whole journal, and compares it with its checksums and with the index.
  ///
  /// - Parameter progress: Receives the checked fraction of the journal, on the thread for long work.
  /// - Returns: The issues.
  /// - Throws: `CancellationError` if the task was cancelled; ``FileSystemError``.
  package func verify(progress: (@Sendable (Double) -> Void)? = nil) async throws -> [IntegrityIssue] {
    try await service.verify(group, progress)
  }

  /// Completes the pending writes, syncs, and closes the store with all its groups. All later calls throw, except for
  /// `close()`, which does nothing.
  ///
  /// - Throws: The first error, which may be that of an earlier sync in the background. The store is closed
  ///   nevertheless.
  package func close() async throws { try await service.close() }

  // MARK: Beyond single records

  /// Returns the contents of the group, and opens it if necessary.
  func contents() async throws -> JournalContents { try await service.contents(of: group) }

  /// The contents of the group, if it was opened.
  var knownContents: JournalContents? { service.knownContents(of: group) }

  var isReadOnly: Bool { service.isReadOnly }

  /// Runs `body` on the reading thread.
  func reading<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await service.reading(body)
  }

  /// Runs `body` on the writing thread.
  func writing<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await service.writing { _ in try body() }
  }
}

@_spi(ModelKitInternals) import StoreEngine

/// How the engine lays out and writes its files.
package struct FileEngineOptions: Sendable {
  package var journal = Journal.Options()

  /// How many groups keep the file open that they write, or follow. Another one that is used closes that of the group which was
  /// used least recently.
  package var openGroups = 64

  /// How many files are kept open for reading, those of all groups together.
  package var openFiles = 128

  /// How much space is kept for deletions and compactions on a full disk, in bytes; more for a large store. 0 for none.
  package var reserve: UInt64 = 1 << 20

  /// Whether the engine only reads, and follows what another process writes.
  package var isReadOnly = false

  /// The receiver of each written batch of a group, called on the writing thread.
  package var reporter: (@Sendable (_ group: String, _ changes: [Change]) -> Void)?

  /// Receives, on the writing thread, the batches that a read-only engine has followed in a group; nil if everything was read
  /// again.
  package var followReporter: (@Sendable (_ group: String, _ batches: [[Change]]?) -> Void)?

  /// Whether what is followed in a group concerns an observer.
  package var isFollowed: @Sendable (_ group: String) -> Bool = { _ in false }

  /// How often an engine that only reads looks for news of a group that is observed.
  package var followInterval = Duration.milliseconds(250)

  /// The reason why there can be no store, which the first call throws.
  var refusal: FileEngineError?

  /// The versions of models as the program declares them.
  var migrations = MigrationPlan()

  package init() {}
}

/// The storage engine of one group of a store: bytes in, bytes out, safe to share between tasks.
///
/// Writing happens on a thread that the groups of a store share, reading that has to wait for the disk on another;
/// neither blocks a thread of the cooperative pool. Writes that come while the disk is busy go to it together. The
/// store is opened with the first call that needs it, and each call fails until that works.
package final class FileEngine: Sendable {
  /// The group whose models this engine stores.
  package let group: String
  let service: FileEngineService

  /// An engine for the group without a name in the store at `directory`, which is made if it is missing. Nothing is
  /// opened yet.
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

  /// How many writes and other jobs of the store wait for the writing thread, withdrawn ones included.
  var waitingJobs: Int { service.waitingJobs }

  /// The engine of another group of the same store. Nothing is opened yet.
  package func group(_ name: String) -> FileEngine { FileEngine(service, group: name) }

  /// Opens the store and the group, if they are not open.
  ///
  /// - Returns: What was found wrong with them when they were opened. All else is readable.
  /// - Throws: ``FileEngineError`` if the store is in use, or its format newer; ``FileSystemError``.
  @discardableResult
  package func open() async throws -> [IntegrityIssue] { try await service.contents(of: group).issues }

  /// Writes a batch: all of its changes or none.
  ///
  /// When the task is cancelled before the batch is being written, it is not written. Once its writing has begun, it
  /// is completed, and this returns as if nothing had happened.
  ///
  /// - Returns: The new revisions of the models, in the order of the changes; 1 for a new model.
  /// - Throws: ``FileEngineError/conflict(type:identifier:)`` or ``FileEngineError/notFound(type:identifier:)``, checked
  ///   as of the moment of the commit; `CancellationError`; ``FileSystemError`` if the disk fails.
  @discardableResult
  package func write(_ changes: [Change], durability: Durability = .everyCommit) async throws -> [UInt64] {
    try await write(changes, durability: durability, after: nil)
  }

  /// Writes a batch unless one of the records that were read for it was written since.
  ///
  /// - Throws: as ``write(_:durability:)``; `ModelStoreError` with the code `conflict`, checked as of the moment of the commit.
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
      // What was deleted before has space that this needs. Not all of it has to be freed for that.
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

  /// The JSON and the revision of a model; nil if there is none with this identifier.
  ///
  /// Does not wait for writes. Bytes that the system has in memory are read at once, on the caller's thread.
  ///
  /// - Throws: ``FileEngineError/damaged(_:)`` if the record does not match its checksum any more, or is another one.
  package func read(_ type: String, _ identifier: String) async throws -> (value: [UInt8], revision: UInt64)? {
    try await record(type, identifier).map { ($0.bytes, $0.revision) }
  }

  /// The same as of a moment, with its position in the order of creation.
  func record(
    _ type: String, _ identifier: String, at moment: JournalContents? = nil
  ) async throws -> StoredRecord? {
    let contents = try await contents(at: moment)
    try Task.checkCancellation()
    // Checking very long records takes a while, which is nothing for a main thread.
    guard let found = contents.entry(type, identifier) else { return nil }
    if found.place.length <= 1 << 16, let value = try contents.readWithoutWaiting(found, type, identifier) {
      return StoredRecord(identifier, value, order: found.ordinal, revision: found.revision)
    }
    return try await service.reading {
      try contents.readingAgainIfMoved {
        try contents.entry(type, identifier).map {
          StoredRecord(
            identifier, try contents.read($0, type, identifier), order: $0.ordinal, revision: $0.revision)
        }
      }
    }
  }

  /// The models of a type that were created after `cursor`, in the order of their creation.
  ///
  /// A model that is there all the time comes exactly once while one goes from chunk to chunk; whether models that come
  /// or go meanwhile are among them is open.
  ///
  /// - Parameters:
  ///   - limit: The most models in the chunk.
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

  /// The identifiers of a type's models, in the order of their creation, all as of one moment.
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

  /// How many models of a type there are.
  package func count(_ type: String) async throws -> Int {
    try await service.contents(of: group).withIndex { index in
      index.number(of: type).map { index.types[$0].liveCount } ?? 0
    }
  }

  /// Whether there is a model with this identifier.
  package func contains(_ type: String, _ identifier: String) async throws -> Bool {
    try await service.contents(of: group).withIndex { index in
      index.number(of: type).flatMap { index.entry(type: $0, Array(identifier.utf8)) } != nil
    }
  }

  /// Returns the ordinal of a model; nil if there is none with this identifier. The ordinals of a type rise with each
  /// creation, and a model keeps its own.
  package func ordinal(_ type: String, _ identifier: String) async throws -> UInt64? {
    try await service.contents(of: group).withIndex { index in
      index.number(of: type).flatMap { index.entry(type: $0, Array(identifier.utf8)) }?.ordinal
    }
  }

  /// The types that have models, in the order in which they first appeared.
  package func types() async throws -> [String] {
    try await service.contents(of: group).withIndex { $0.typeNames.filter { $0 != ModelVersions.typeName } }
  }

  /// An integer for a new model of a type: one more than the largest so far, deleted models included. It is not given
  /// to anybody else, used or not, as long as the store is open.
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

  /// When models of a type were last written, for those who remember what they have read.
  func state(of type: String) async throws -> WriteState {
    try await service.contents(of: group).withIndex { index in
      let number = index.intern(type)
      return index.states[number]
    }
  }

  /// Removes from the journal what is of no use any more. Reading and writing go on meanwhile.
  ///
  /// - Throws: `CancellationError` if the task was cancelled before the compaction had come to its end; nothing was
  ///   changed then. ``FileEngineError/damaged(_:)`` if a record can't be read.
  package func compact() async throws {
    if service.isReadOnly { throw FileEngineError.readOnly(directory: service.directory) }
    _ = try await service.contents(of: group)
    try await service.compact(group)
  }

  /// Reads the whole journal again and compares everything with its checksums and with the index.
  ///
  /// - Returns: What is wrong with it.
  /// - Throws: `CancellationError` if the task was cancelled; ``FileSystemError``.
  package func verify() async throws -> [IntegrityIssue] { try await service.verify(group) }

  /// Brings everything that was written before to the disk, whatever durability it was written with.
  package func sync() async throws {
    if service.isReadOnly { return }
    _ = try await service.contents(of: group)
    try await service.writing { [group] writer in try writer.sync(group) }
  }

  /// Completes the writes that are waiting, brings everything to the disk and closes the store with all its groups. All
  /// calls after this one fail, but for another `close()`, which does nothing.
  ///
  /// - Throws: The first error, among them that of an earlier sync in the background. The store is closed nevertheless.
  package func close() async throws { try await service.close() }

  // MARK: For what goes beyond single records

  /// Returns the readable part of the group, which is opened if it is not.
  func contents() async throws -> JournalContents { try await service.contents(of: group) }

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

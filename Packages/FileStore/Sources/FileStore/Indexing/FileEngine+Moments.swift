@_spi(ModelKitInternals) import StoreProtocol

/// The records that a query reads have to be of one moment, which is taken first.
struct MomentIsNeeded: Error {}

extension FileEngine {
  /// Everything that is stored as of now, for reads that belong together.
  ///
  /// - Parameter keepsFiles: whether all files stay readable, whatever a compaction removes.
  func moment(keepsFiles: Bool) async throws -> JournalContents {
    let contents = try await contents()
    try Task.checkCancellation()
    return keepsFiles
      ? try await reading { try contents.moment(keepsFiles: true) } : try contents.moment(keepsFiles: false)
  }

  /// The contents as of a moment; without one, as they are now.
  func contents(at moment: JournalContents?) async throws -> JournalContents {
    if let moment { return moment }
    return try await contents()
  }

  /// Returns a part of the models of a type as of a moment.
  func readChunk(
    _ type: String, after cursor: CreationCursor, limit: Int = 1_000, byteLimit: Int = 1 << 20,
    at moment: JournalContents
  ) async throws -> Chunk {
    try Task.checkCancellation()
    return try await reading { try moment.chunk(of: type, after: cursor, limit: limit, byteLimit: byteLimit) }
  }

  /// Returns a part of the models of a type as of a moment, as one JSON list.
  func readList(
    _ type: String, after cursor: CreationCursor, limit: Int = 4_096, byteLimit: Int = 1 << 20,
    at moment: JournalContents
  ) async throws -> RecordList {
    try Task.checkCancellation()
    return try await reading { try moment.list(of: type, after: cursor, limit: limit, byteLimit: byteLimit) }
  }
}

extension JournalContents {
  /// How many models of a type there are.
  func count(of type: String) -> Int {
    withIndex { index in index.number(of: type).map { index.types[$0].liveCount } ?? 0 }
  }
}

extension FileModelStore {
  /// Runs a read whose records are all of one moment.
  ///
  /// A compaction may remove a file before it is read. Then the read begins again with files that are kept open, so that
  /// it comes to its end however often that happens.
  func atOneMoment<Result>(_ body: (JournalContents) async throws -> Result) async throws -> Result {
    let engine = handle.engine
    do {
      return try await body(try await translating { try await engine.moment(keepsFiles: false) })
    } catch is RecordsWereMoved {
      return try await body(try await translating { try await engine.moment(keepsFiles: true) })
    }
  }
}

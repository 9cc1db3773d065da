import Foundation
@_spi(ModelKitInternals) public import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension FileStoreHandle {
  /// The treatment of records that can't be read: see ``FileStoreOptions``.
  public var unreadable: UnreadableRecords { options.unreadable }

  /// Returns the report about a record that can't be read, with its file and offset.
  public func unreadableRecord(
    _ type: String, _ identifier: String, _ error: ModelStoreError
  ) async throws -> UnreadableRecord {
    if case .damaged(let issue)? = error.cause as? FileEngineError {
      return UnreadableRecord(type, identifier, error, issue)
    }
    let contents = try await translating { try await engine.contents() }
    let place = contents.entry(type, identifier)?.place
    return UnreadableRecord(
      type, identifier, error, file: place.map { URL(filePath: contents.path($0.segment)) }, offset: place?.offset)
  }
}

extension UnreadableRecord {
  init(_ type: String, _ identifier: String, _ error: ModelStoreError, _ issue: IntegrityIssue) {
    self.init(
      type, identifier, error, reason: issue.reason, file: URL(filePath: issue.file), offset: issue.offset)
  }
}

extension UnreadableRecords {
  /// Reports a damaged record, or throws its error.
  func skip(_ type: String, _ identifier: String, _ issue: IntegrityIssue) throws {
    let error = ModelStoreError.damaged(type, identifier, issue)
    try take(UnreadableRecord(type, identifier, error, issue), error)
  }

  /// Reports the damaged records of a chunk, or throws the error of the first.
  func skipDamage(in chunk: Chunk, of type: String) throws {
    for (identifier, issue) in zip(chunk.damagedIdentifiers, chunk.damages) { try skip(type, identifier, issue) }
  }
}

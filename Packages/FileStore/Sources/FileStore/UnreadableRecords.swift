public import Foundation
import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

/// The treatment of unreadable records by calls that read several: of damaged records, and of those that their class
/// can't decode.
///
/// ```swift
/// let options = FileStoreOptions(unreadable: .skip { print($0) })
/// ```
public enum UnreadableRecords: Sendable {
  /// The call throws `corrupt`, with the identifier of the first of them.
  case refuse

  /// They are left out, and each is given to the closure, once by each call that comes across it. The closure may be called
  /// from any thread.
  case skip(@Sendable (UnreadableRecord) -> Void)

  /// Reports a record, or throws the error about it.
  func take(_ record: @autoclosure () -> UnreadableRecord, _ error: ModelStoreError) throws {
    guard case .skip(let report) = self, error.code == .corrupt else { throw error }
    report(record())
  }
}

/// A record that can't be read, and was left out.
public struct UnreadableRecord: Sendable, CustomStringConvertible {
  /// The name of the type of the model in stores.
  public let typeName: String
  /// The identifier of the model.
  public let identifier: String
  /// The file in which the record is; nil if it was written or removed meanwhile.
  public let file: URL?
  /// The offset of the record in the file, in bytes.
  public let offset: UInt64?
  /// The reason for which it can't be read.
  public let reason: String
  /// The error that is thrown for the record if it is not left out.
  public let error: ModelStoreError

  /// The unreadable record, its location, and the reason.
  public var description: String { error.message }

  init(_ typeName: String, _ identifier: String, _ error: ModelStoreError, file: String?, offset: UInt64?) {
    self.typeName = typeName
    self.identifier = identifier
    self.file = file.map { URL(filePath: $0) }
    self.offset = offset
    if case .damaged(let issue)? = error.cause as? FileEngineError {
      reason = issue.reason
    } else {
      reason = error.cause.map { "\($0)" } ?? error.message
    }
    self.error = error
  }
}

extension FileModelStore {
  /// Reports a record that can't be read, or throws the error about it.
  func report(_ error: ModelStoreError, _ type: String, _ identifier: String) async throws {
    guard case .skip = handle.options.unreadable else { throw error }
    if case .damaged(let issue)? = error.cause as? FileEngineError {
      return try handle.options.unreadable.skip(type, identifier, issue)
    }
    let contents = try await translating { try await handle.engine.contents() }
    let place = contents.entry(type, identifier)?.place
    try handle.options.unreadable.take(
      UnreadableRecord(
        type, identifier, error, file: place.map { contents.path($0.segment) }, offset: place?.offset), error)
  }
}

extension UnreadableRecords {
  /// Reports a damaged record, or throws the error about it.
  func skip(_ type: String, _ identifier: String, _ issue: IntegrityIssue) throws {
    let error = ModelStoreError.damaged(type, identifier, issue)
    try take(UnreadableRecord(type, identifier, error, file: issue.file, offset: issue.offset), error)
  }

  /// Reports the damaged records of a chunk, or throws the error about the first.
  func skipDamage(in chunk: Chunk, of type: String) throws {
    for (identifier, issue) in zip(chunk.damagedIdentifiers, chunk.damages) { try skip(type, identifier, issue) }
  }
}

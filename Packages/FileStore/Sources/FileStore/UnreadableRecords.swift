public import Foundation
@_spi(ModelKitInternals) public import StoreProtocol

/// The treatment of records that can't be read, when others are asked for together with them: those that are damaged, and
/// those that no model of their class can be made of.
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
  /// What stores call the type of the model.
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

  /// What can't be read, where it is, and why.
  public var description: String { error.message }

  init(_ typeName: String, _ identifier: String, _ error: ModelStoreError, file: String?, offset: UInt64?) {
    self.typeName = typeName
    self.identifier = identifier
    self.file = file.map { URL(filePath: $0) }
    self.offset = offset
    if case .damaged(let finding)? = error.cause as? FileEngineError {
      reason = finding.reason
    } else {
      reason = error.cause.map { "\($0)" } ?? error.message
    }
    self.error = error
  }
}

extension FileModelStore {
  /// Reports the damaged records of a chunk, or throws the error about the first.
  func skipDamage(in chunk: Chunk, of type: String) throws {
    for (identifier, finding) in zip(chunk.damagedIdentifiers, chunk.damages) {
      try handle.options.unreadable.skip(type, identifier, finding)
    }
  }

  /// Reports a record that can't be read, or throws the error about it.
  func skip(_ error: ModelStoreError, _ type: String, _ identifier: String) async throws {
    guard case .skip = handle.options.unreadable else { throw error }
    if case .damaged(let finding)? = error.cause as? FileEngineError {
      return try handle.options.unreadable.skip(type, identifier, finding)
    }
    let contents = try await translating { try await handle.engine.contents() }
    let place = contents.entry(type, identifier)?.place
    try handle.options.unreadable.take(
      UnreadableRecord(
        type, identifier, error, file: place.map { contents.path($0.segment) }, offset: place?.offset), error)
  }

  /// Makes models of records that were read a while ago, without those of which none can be made if these are skipped.
  func readableModels<M: Model>(
    _ type: M.Type, _ records: [FoundRecord], readSince start: PendingReads.Start
  ) async throws -> [M] {
    let records = try await currentRecords(
      type, records.map { (identifier: $0.identifier, bytes: $0.value) }, readSince: start
    ) { try await self.row(M.typeName, $0)?.bytes }
    do {
      return try models(type, fromBytes: records.map(\.bytes)) { records[$0].identifier }
    } catch {
      guard case .skip = handle.options.unreadable, (error as? ModelStoreError)?.code == .corrupt else { throw error }
    }
    var found: [M] = []
    for record in records {
      do {
        found += try models(type, fromBytes: [record.bytes]) { _ in record.identifier }
      } catch let error as ModelStoreError {
        try await skip(error, M.typeName, record.identifier)
      }
    }
    return found
  }

  /// Returns a record that a condition is about; nil if it is not there, or can't be read and is skipped.
  func readableRow(_ type: String, _ identifier: String, at moment: JournalContents) async throws -> [UInt8]? {
    do {
      return try await row(type, identifier, at: moment)?.bytes
    } catch let error as ModelStoreError where error.code == .corrupt {
      try await skip(error, type, identifier)
      return nil
    }
  }

  /// Returns the values of records that a query selected; nil for those that are skipped.
  func values(
    of records: ArraySlice<SelectedRecord>, type: String, at moment: JournalContents?
  ) async throws -> [[UInt8]?] {
    let engine = handle.engine
    do {
      return try await translating { try await engine.read(records, at: moment) }
    } catch let error as ModelStoreError where error.code == .corrupt {
      guard case .skip = handle.options.unreadable else { throw error }
    }
    var values: [[UInt8]?] = []
    for number in records.indices {
      do {
        values.append(try await engine.read(records[number...number], at: moment).first)
      } catch FileEngineError.damaged(let finding) {
        try handle.options.unreadable.skip(type, records[number].identifier, finding)
        values.append(nil)
      }
    }
    return values
  }
}

extension UnreadableRecords {
  /// Reports a damaged record, or throws the error about it.
  func skip(_ type: String, _ identifier: String, _ finding: Finding) throws {
    let error = ModelStoreError.damaged(type, identifier, finding)
    try take(UnreadableRecord(type, identifier, error, file: finding.file, offset: finding.offset), error)
  }
}

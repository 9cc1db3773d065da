public import Foundation
public import StoreProtocol

/// The treatment of unreadable records by calls that read several: of damaged records, and of those that their class
/// can't decode.
///
/// ```swift
/// let options = FileStoreOptions(unreadable: .skip { print($0) })
/// ```
public enum UnreadableRecords: Sendable {
  /// The call throws `corrupt`, with the identifier of the first of them.
  case fail

  /// They are left out, and each is given to the closure, once by each call that comes across it. The closure may be
  /// called from any thread.
  case skip(@Sendable (UnreadableRecord) -> Void)

  /// Reports a record, or throws the error about it.
  @_spi(ModelKitInternals)
  public func take(_ record: @autoclosure () -> UnreadableRecord, _ error: ModelStoreError) throws {
    guard case .skip(let report) = self, error.code == .corrupt else { throw error }
    report(record())
  }
}

/// A record that can't be read, and was left out.
public struct UnreadableRecord: Sendable, CustomStringConvertible {
  /// The name of the type of the model in stores.
  public let typeName: String
  /// The identifier of the model; empty if the damage does not show it.
  public let identifier: String
  /// The file in which the record is; nil in a store without files, and if it was written or removed meanwhile.
  public let file: URL?
  /// The offset of the record in the file, in bytes.
  public let offset: UInt64?
  /// The reason for which it can't be read.
  public let reason: String
  /// The error that is thrown for the record if it is not left out.
  public let error: ModelStoreError

  /// The unreadable record, its location, and the reason.
  public var description: String { error.message }

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - typeName: the name of the type of the model in stores.
  ///   - identifier: the identifier of the model.
  ///   - error: the error that is thrown for the record if it is not left out.
  ///   - reason: the reason for which it can't be read; nil for the cause of the error.
  ///   - file: the file in which the record is.
  ///   - offset: the offset of the record in the file, in bytes.
  public init(
    _ typeName: String, _ identifier: String, _ error: ModelStoreError, reason: String? = nil, file: URL? = nil,
    offset: UInt64? = nil
  ) {
    self.typeName = typeName
    self.identifier = identifier
    self.file = file
    self.offset = offset
    self.reason = reason ?? error.cause.map { "\($0)" } ?? error.message
    self.error = error
  }
}

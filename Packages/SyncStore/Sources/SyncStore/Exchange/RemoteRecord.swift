@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// A record of the server, as far as its answer had values.
struct RemoteRecord {
  /// The values of the record.
  enum Content {
    /// One object with sorted keys. Its keys are those of fields, without dots.
    case bytes([UInt8])
    /// Single values, for records that can't be written directly to bytes.
    case values([StoredValue])
  }

  var identifier: String
  let content: Content
  /// The model that the values are from.
  let model: ModelObject
  /// The spelling of the values.
  let context: ValueTransformerContext
  /// Whether it is to be kept locally.
  var isKept = true

  /// Returns the bytes of the record as ``record(over:)`` returns it without another version.
  ///
  /// - Throws: `JSONWritingError` for a value that can't be written.
  func bytes() throws -> [UInt8] {
    if case .bytes(let bytes) = content { bytes } else { try StoredLane.bytes(record(over: nil)) }
  }

  /// Returns the single values of the record.
  ///
  /// - Throws: `ModelStoreError` with the code `corrupt` if the bytes are not those of an object. Without values it
  ///   would count as a record of which everything is unknown.
  func parsed() throws(ModelStoreError) -> Values {
    switch content {
    case .bytes(let bytes):
      guard let members = (try? JSONValue(json: bytes))?.objectValue else {
        throw ModelStoreError(
          .corrupt,
          "The server's \(model.storedTypeName) \(identifier) was not stored: it was not written as a JSON object.",
          identifier: identifier)
      }
      return Values(list: members.map { StoredValue(path: [$0], value: $1) }, model: model, context: context)
    case .values(let list): return Values(list: list, model: model, context: context)
    }
  }

  /// Returns the record, completed by values of another version.
  ///
  /// - Throws: `ModelStoreError` as ``parsed()`` does.
  func record(over other: AttributeDictionary?) throws(ModelStoreError) -> AttributeDictionary {
    try parsed().record(over: other)
  }

  /// The single values of a record.
  struct Values {
    fileprivate let list: [StoredValue]
    fileprivate let model: ModelObject
    fileprivate let context: ValueTransformerContext

    /// Returns the record, completed by values of another version: a value that is absent from a response is
    /// unknown.
    ///
    /// - Parameters:
    ///   - other: the other version.
    ///   - keepsSpelling: whether a value that is the same in both is spelled as in the other version, which an older
    ///     class may have written.
    func record(over other: AttributeDictionary?, keepsSpelling: Bool = true) -> AttributeDictionary {
      var record = other ?? [:]
      let changed =
        keepsSpelling && other != nil ? list.filter { !model.isSame($0, in: record, spelledBy: context) } : list
      changed.write(to: &record, keeping: other == nil ? [] : model.nestedPaths(in: context))
      return record
    }
  }
}

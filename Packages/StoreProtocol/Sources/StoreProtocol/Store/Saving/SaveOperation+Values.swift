@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) public import ModelCore

// The captured values.
extension SaveOperation {
  /// The values to write, one by one.
  var changes: [StoredValue] {
    switch content {
    case .values(let values): values
    case .bytes(let bytes): Self.object(of: bytes).map { StoredValue(path: [$0], value: $1) }
    }
  }

  /// The values to write, as one object.
  ///
  /// - Complexity: O(*n*) in the size of the record, each time.
  public var record: AttributeDictionary {
    switch content {
    case .values: merged(into: [:])
    case .bytes(let bytes): Self.object(of: bytes)
    }
  }

  /// Returns an older record with the written fields replaced.
  public func merged(into older: AttributeDictionary) -> AttributeDictionary {
    var record = older
    changes.write(to: &record, keeping: older.isEmpty ? [] : model.nestedPaths(in: updateContext))
    return record
  }

  /// Returns the values to write, as the bytes of one JSON object with sorted keys.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` for a value that can't be written.
  package func recordBytes() throws -> [UInt8] {
    switch content {
    case .values: try bytes(of: record)
    case .bytes(let bytes): try RecordLimits.checked(bytes, of: typeName, identifier)
    }
  }

  /// Returns the bytes of an older record with the written fields replaced.
  ///
  /// - Throws: ``ModelStoreError`` with the code `corrupt` if the older record is not an object. The code is `invalid`
  ///   for a value that can't be written, or if the record would be read as another class.
  package func merged(intoBytes older: [UInt8]) throws -> [UInt8] {
    let merged = try bytes(mergedInto: older)
    if M.hierarchyChoosesClasses { try refuseOtherClass(merged, insteadOf: older) }
    return merged
  }

  func refuseOtherClass(_ record: [UInt8], insteadOf older: [UInt8]) throws {
    let modelClass = type(of: model)
    let stored = modelClass.storedClass(for: Self.object(of: record))
    guard stored != modelClass, modelClass.storedClass(for: Self.object(of: older)) == modelClass else { return }
    throw ModelStoreError(
      .invalid,
      """
      This \(modelClass.displayName) was not written: it would be read back as \(stored.displayName). Its changes are kept: \
      revert them, or create a new model of that class and delete this one.
      """, identifier: identifier)
  }

  func bytes(mergedInto older: [UInt8]) throws -> [UInt8] {
    if case .bytes(let changes) = content, let merged = RecordBytes.merging(changes, into: older) {
      return try RecordLimits.checked(merged, of: typeName, identifier)
    }
    guard case .object(let record)? = try? JSONValue(json: older) else {
      throw ModelStoreError(
        .corrupt,
        """
        This \(typeName.nameForMessage) was not written: the record stored under the identifier \
        \((identifier ?? "").quotedForMessage) is not a JSON object. Nothing was changed: delete the model, and create it again.
        """, identifier: identifier)
    }
    return try bytes(of: merged(into: record))
  }

  func bytes(of record: AttributeDictionary) throws -> [UInt8] {
    do {
      let bytes = Array(try JSONValue.object(record).jsonData(JSONWritingOptions(sortedKeys: true)))
      return try RecordLimits.checked(bytes, of: typeName, identifier)
    } catch let error as JSONWritingError {
      throw ModelStoreError(
        .invalid, "This \(typeName.nameForMessage) was not written: \("\(error)".shortenedForMessage(atMost: 700))",
        identifier: identifier, cause: error)
    }
  }

  static func object(of bytes: [UInt8]) -> AttributeDictionary {
    (try? JSONValue(json: bytes))?.objectValue ?? [:]
  }
}

@_spi(ModelKitInternals) import FieldKit

/// The limits of records that stores accept, so that each accepted record can be read.
@_spi(ModelKitInternals)
public enum RecordLimits {
  /// The maximum depth of nested arrays and objects in a record, the record included.
  ///
  /// JSON readers accept 512 levels. Lists, files and snapshots need some of them around the record.
  static let maximumDepth = 500

  /// Returns whether a record is nested deeper than a store accepts.
  ///
  /// - Complexity: O(*n*) in the number of bytes, and O(1) for records of less than 1,000 bytes.
  public static func isTooDeep(_ record: UnsafeRawBufferPointer) -> Bool {
    // Each level has two brackets.
    guard record.count > maximumDepth * 2 else { return false }
    var depth = 0
    var isInString = false
    var isEscaped = false
    for byte in record {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth > maximumDepth { return true }
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return false
  }

  /// The reason for rejecting a record that is nested too deep, as a part of a sentence.
  public static var tooDeep: String { "has more than \(maximumDepth) nested arrays and objects" }

  /// Returns a record after checking its depth.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if it could not.
  static func checked(_ record: [UInt8], of typeName: String, _ identifier: String?) throws -> [UInt8] {
    try check(record[...], of: typeName, identifier)
    return record
  }

  /// - Throws: ``ModelStoreError`` with the code `invalid` for a record that could not be read again.
  static func check(_ record: ArraySlice<UInt8>, of typeName: String, _ identifier: String?) throws {
    guard record.withUnsafeBytes(isTooDeep) else { return }
    throw ModelStoreError(
      .invalid, "This \(typeName.nameForMessage) was not written: it \(tooDeep).", identifier: identifier)
  }
}

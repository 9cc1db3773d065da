import Foundation
import StoreProtocol

/// A record without the fields that are hidden from a user, with its entity tag.
struct RecordVersion: Sendable {
  let record: AttributeDictionary
  /// The body of a response with the record, with sorted keys.
  let body: Data
  /// A digest of the bytes: equal records have equal tags, even after a restart and in other processes.
  let tag: String

  /// - Throws: `JSONWritingError` if a value can't be written.
  init(_ record: AttributeDictionary, _ json: JSONValue) throws {
    self.record = record
    body = try json.jsonData(.init(sortedKeys: true))
    tag = Self.tag(of: body)
  }

  /// Returns a strong entity tag of bytes: their FNV-1a digest of 128 bits.
  static func tag(of bytes: Data) -> String {
    var digest: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b
    for byte in bytes { digest = (digest ^ UInt128(byte)) &* prime }
    return "\"" + String(digest, radix: 36) + "\""
  }
}

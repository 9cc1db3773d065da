#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A change of one model that is to be written.
package struct Change: Sendable {
  package var operation: Operation
  package var type: String
  package var identifier: String

  /// The model's JSON without line breaks; empty for a deletion.
  package var value: [UInt8]

  /// The revision that is to be replaced; nil for whichever there is.
  package var expectedRevision: UInt64?

  /// The JSON that is replaced, if it is known; only for those who are told of the change.
  package var previousValue: [UInt8]?

  /// A model that must not be there yet.
  package static func create(_ type: String, _ identifier: String, _ value: [UInt8]) -> Change {
    Change(operation: .create, type: type, identifier: identifier, value: value)
  }

  /// A model that must be there, and as it was when it was read, if that is asked.
  package static func update(
    _ type: String, _ identifier: String, _ value: [UInt8], ifRevision revision: UInt64? = nil
  ) -> Change {
    Change(operation: .update, type: type, identifier: identifier, value: value, expectedRevision: revision)
  }

  /// A model that must be there, and as it was when it was read, if that is asked; it won't be there afterwards.
  package static func delete(_ type: String, _ identifier: String, ifRevision revision: UInt64? = nil) -> Change {
    Change(operation: .delete, type: type, identifier: identifier, value: [], expectedRevision: revision)
  }
}

/// A change that was admitted, with what is known of its model.
struct JournalRecord {
  var change: Change

  /// The revision of the model after the change.
  var revision: UInt64

  /// The number of the type in the index.
  var type: Int

  /// What it does to the indexes of fields; nil if there are none.
  var keys: KeyChange?
}

/// A model of a group: the number of its type in the index, and its identifier byte by byte.
struct ModelKey: Hashable {
  var type: Int
  var identifier: [UInt8]

  func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    // An array would hash its bytes one by one.
    identifier.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension String {
  /// Calls a closure with the bytes of an identifier or a name.
  @inline(__always)
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    var string = self
    return try string.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }

  /// Whether two strings are the same byte by byte: Swift calls more of them equal.
  func hasSameBytes(as other: String) -> Bool {
    withBytes { bytes in
      other.withBytes { other in
        guard bytes.count == other.count, let first = bytes.baseAddress, let second = other.baseAddress else {
          return bytes.count == other.count
        }
        return memcmp(first, second, bytes.count) == 0
      }
    }
  }
}

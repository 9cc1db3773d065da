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
  package var value: ArraySlice<UInt8>

  /// The revision that is to be replaced; nil for whichever there is.
  package var expectedRevision: UInt64?

  /// The JSON that is replaced, if it is known; only for those who are told of the change.
  package var previousValue: [UInt8]?

  /// A model that must not be there yet.
  package static func create(_ type: String, _ identifier: String, _ value: [UInt8]) -> Change {
    create(type, identifier, value[...])
  }

  /// The same for JSON that stands among other bytes.
  package static func create(_ type: String, _ identifier: String, _ value: ArraySlice<UInt8>) -> Change {
    Change(operation: .create, type: type, identifier: identifier, value: value)
  }

  /// A model that must be there, and as it was when it was read, if that is asked.
  package static func update(
    _ type: String, _ identifier: String, _ value: [UInt8], ifRevision revision: UInt64? = nil
  ) -> Change {
    Change(operation: .update, type: type, identifier: identifier, value: value[...], expectedRevision: revision)
  }

  /// A model that must be there, and as it was when it was read, if that is asked; it won't be there afterwards.
  package static func delete(_ type: String, _ identifier: String, ifRevision revision: UInt64? = nil) -> Change {
    Change(operation: .delete, type: type, identifier: identifier, value: [], expectedRevision: revision)
  }
}

/// A batch that was admitted, with what is known of its models.
struct AdmittedBatch {
  let changes: [Change]

  /// One for each change. They are apart from the changes, because a copy of each of those would cost something.
  var records: [AdmittedRecord]

  /// What the changes do to the indexes of fields, by their number; none for those of types without indexes.
  var keys: [Int: KeyChange] = [:]

  /// About how many bytes its lines have.
  var estimatedSize: Int {
    changes.reduce(64) { $0 + $1.value.count + $1.identifier.utf8.count + $1.type.utf8.count + 48 }
  }
}

/// What is known of the model of a change that was admitted.
struct AdmittedRecord: BitwiseCopyable {
  /// The revision of the model after the change.
  var revision: UInt64

  /// The number of the type in the index.
  var type: Int

  /// Where the identifier goes in tables: see ``IdentifierHash``.
  var hash: Int

  /// Where the record stands, once it was written.
  var place = RecordPlace(segment: .none, length: 0, offset: 0)
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

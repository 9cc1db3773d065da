package import StoreEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A write to one record of the journal.
package typealias Change = RecordOperation

/// The kind of a write.
package typealias Operation = RecordOperation.Kind

/// An admitted batch, with the known states of its models.
struct AdmittedBatch {
  let changes: [Change]

  /// One for each change. They are separate from the changes to avoid copies.
  var records: [AdmittedRecord]

  /// The effect of the change on the indexes of fields, by their number; empty for types without indexes.
  var keys: [Int: KeyChange] = [:]

  /// The approximate number of bytes of its lines.
  var estimatedSize: Int {
    changes.reduce(64) { $0 + $1.value.count + $1.identifier.utf8.count + $1.type.utf8.count + 48 }
  }
}

/// The known state of the model of an admitted change.
struct AdmittedRecord: BitwiseCopyable {
  /// The revision of the model after the change.
  var revision: UInt64

  /// The number of the type in the index.
  var type: Int

  /// The hash of the identifier: see ``IdentifierHash``.
  var hash: Int

  /// The position of the record, after it was written.
  var place = RecordLocation(segment: .none, length: 0, offset: 0)
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

  /// Returns whether two strings are the same byte by byte: Swift calls more of them equal.
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

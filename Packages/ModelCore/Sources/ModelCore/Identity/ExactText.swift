/// Text that is compared by its bytes.
///
/// Swift strings are equal if they differ only in the encoding of an accent. In a store they are two identifiers.
@_spi(ModelKitInternals)
public struct ExactText: Hashable, Sendable {
  /// The text, unchanged.
  public let text: String

  /// Wraps a text.
  @inlinable
  public init(_ text: String) { self.text = text }

  /// Returns whether two texts have the same bytes.
  public static func == (first: ExactText, second: ExactText) -> Bool {
    // Iterating over the UTF-8 views byte by byte would take much longer than hashing both.
    let answer: Bool?? = first.text.utf8.withContiguousStorageIfAvailable { first in
      second.text.utf8.withContiguousStorageIfAvailable { second in
        hasSameBytes(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer(second))
      }
    }
    // Bridged strings have no contiguous bytes.
    return (answer ?? nil) ?? first.text.utf8.elementsEqual(second.text.utf8)
  }

  private static func hasSameBytes(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    let count = first.count
    guard count == second.count else { return false }
    var offset = 0
    // Identifiers are mostly longer than 8 bytes and short enough for this loop.
    while offset &+ 8 <= count {
      let (one, other) = (
        first.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
        second.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      )
      if one != other { return false }
      offset &+= 8
    }
    while offset < count {
      if first[offset] != second[offset] { return false }
      offset &+= 1
    }
    return true
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isDone != nil { return }
    var native = text
    native.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// Text that is the same as another one only if it has the same bytes.
///
/// Swift calls strings equal that differ in how an accent is written. In a store they are two identifiers.
@_spi(ModelKitInternals)
public struct ExactText: Hashable, Sendable {
  /// The text as it is.
  public let text: String

  /// Takes a text as it is.
  @inlinable
  public init(_ text: String) { self.text = text }

  /// Whether two texts have the same bytes.
  public static func == (first: ExactText, second: ExactText) -> Bool {
    // To go through the views of strings byte by byte would take much longer than to hash both.
    let answer: Bool?? = first.text.utf8.withContiguousStorageIfAvailable { first in
      second.text.utf8.withContiguousStorageIfAvailable { second in
        hasSameBytes(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer(second))
      }
    }
    // Strings that are not Swift's own have no bytes that lie together.
    return (answer ?? nil) ?? first.text.utf8.elementsEqual(second.text.utf8)
  }

  private static func hasSameBytes(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
    let count = first.count
    guard count == second.count else { return false }
    var offset = 0
    // Identifiers are mostly longer than a word and shorter than a line.
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

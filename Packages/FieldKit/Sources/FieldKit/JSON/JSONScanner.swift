/// A scanner that reads a JSON document piece by piece, straight from its bytes, and checks every byte.
///
/// The caller reads the pieces in their order; containers are read like this:
///
/// ```swift
/// try scanner.beginObject()
/// while let key = try scanner.nextKey() {
///   if key == "age" {
///     age = try scanner.readInt()
///   } else {
///     try scanner.skipValue()
///   }
/// }
/// ```
///
/// Each key and each element must be followed by reading or skipping its value. A copy of the scanner is a bookmark:
/// assign it to continue from there. After an error the scanner must not be used, but stays memory-safe.
///
/// The bytes must not move as long as the scanner is used. Only the strings and values that are returned are allocated.
@_spi(ModelKitInternals)
public struct JSONScanner {
  @usableFromInline let base: UnsafePointer<UInt8>
  @usableFromInline let count: Int
  @usableFromInline var position = 0
  @usableFromInline var depth = 0
  @usableFromInline let maximumDepth: Int
  /// True between the start of a container and its first key or element, which has no comma before it.
  @usableFromInline var isAtStartOfContainer = false

  /// Creates a scanner at the start of a document.
  ///
  /// - Parameters:
  ///   - bytes: The document, which must outlive the scanner.
  ///   - maximumDepth: The largest depth of nested arrays and objects.
  public init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int = 512) {
    if let address = bytes.baseAddress {
      base = address.assumingMemoryBound(to: UInt8.self)
      count = bytes.count
    } else {
      // Never read from: the count is zero.
      base = UnsafePointer(bitPattern: 1).unsafelyUnwrapped
      count = 0
    }
    self.maximumDepth = maximumDepth
  }

  /// Creates a scanner that continues inside a document.
  ///
  /// - Parameters:
  ///   - bytes: The whole document.
  ///   - offset: The position to start at, which must be between two pieces of a valid document.
  ///   - depth: The number of arrays and objects that are open there.
  ///   - maximumDepth: The largest depth of nested arrays and objects.
  public init(_ bytes: UnsafeRawBufferPointer, offset: Int, depth: Int, maximumDepth: Int) {
    self.init(bytes, maximumDepth: maximumDepth)
    position = min(max(offset, 0), count)
    self.depth = depth
  }

  /// The number of bytes before the next one that is read.
  @inlinable public var offset: Int { position }

  /// The number of arrays and objects that are open.
  @inlinable public var openContainers: Int { depth }

  /// Skips a byte order mark, which RFC 8259 lets a reader ignore at the start of a document.
  mutating func skipByteOrderMark() {
    if position == 0, count >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { position = 3 }
  }

  /// Skips blanks, tabs and ends of lines.
  @inlinable
  @inline(__always)
  public mutating func skipWhitespace() {
    if position < count, base[position] > 0x20 { return }
    skipWhitespaceRun()
  }

  @usableFromInline
  mutating func skipWhitespaceRun() {
    var index = position
    while index < count {
      switch base[index] {
      case 0x20:
        // Indentation comes in long runs.
        if index &+ 8 <= count, word(at: index) == 0x2020_2020_2020_2020 { index &+= 8 } else { index &+= 1 }
      case 0x0A, 0x0D, 0x09: index &+= 1
      default:
        position = index
        return
      }
    }
    position = index
  }

  /// Skips white space and returns the kind of the next value by its first byte, which stays unread.
  @inlinable
  public mutating func peek() throws(JSONSyntaxError) -> JSONValue.Kind {
    skipWhitespace()
    guard position < count else { throw failure(expected: "a value") }
    switch base[position] {
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    default: throw failure(expected: "a value")
    }
  }

  /// Reads `null`.
  @inlinable
  public mutating func readNull() throws(JSONSyntaxError) {
    skipWhitespace()
    try expect("null", length: 4)
  }

  /// Reads `true` or `false`.
  @inlinable
  mutating func readBool() throws(JSONSyntaxError) -> Bool {
    skipWhitespace()
    guard position < count else { throw failure(expected: "\"true\" or \"false\"") }
    switch base[position] {
    case UInt8(ascii: "t"):
      try expect("true", length: 4)
      return true
    case UInt8(ascii: "f"):
      try expect("false", length: 5)
      return false
    default: throw failure(expected: "\"true\" or \"false\"")
    }
  }

  @usableFromInline
  mutating func expect(_ literal: StaticString, length: Int) throws(JSONSyntaxError) {
    var index = 0
    while index < length {
      guard position &+ index < count, base[position &+ index] == literal.utf8Start[index] else {
        throw failure(at: position + index, expected: "\"\(literal)\"")
      }
      index &+= 1
    }
    position &+= length
  }

  /// Skips white space and checks that nothing follows.
  public mutating func finish() throws(JSONSyntaxError) {
    skipWhitespace()
    guard position == count else {
      throw failure(
        .trailingContent, at: position, "expected the end of the document after its value, found \(found(at: position))"
      )
    }
  }

  @inline(__always)
  func word(at index: Int) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A writer of JSON into a buffer of bytes, piece by piece, without a tree.
///
/// The writer adds the commas, the colons and the indentation. The caller keeps the order. In an object each value
/// follows a ``key(_:)``, in an array it stands alone, and every container is ended.
///
/// ```swift
/// var writer = JSONWriter()
/// try writer.beginObject()
/// writer.key("name")
/// writer.string("Bob")
/// writer.endObject()
/// let data = writer.takeData()
/// ```
@_spi(ModelKitInternals)
public struct JSONWriter: ~Copyable {
  @usableFromInline var bytes: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  @usableFromInline var length = 0
  @usableFromInline var next = Next.first
  @usableFromInline var depth = 0
  @usableFromInline let isPretty: Bool
  let escapesSlashes: Bool
  /// Whether `nan` and `inf` are written. Descriptions use them, documents can't.
  let allowsNotFinite: Bool

  /// The separator before the next key or value.
  @usableFromInline
  enum Next {
    /// Only the indentation: it is the first one of its container.
    case first
    /// A comma.
    case separated
    /// None: a key and its colon precede it.
    case afterKey
  }

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - options: The format; the order of the keys is that of the calls.
  ///   - capacity: The number of bytes to reserve at first.
  public init(_ options: JSONWritingOptions = .init(), capacity: Int = 512) {
    self.init(options, capacity: capacity, allowsNotFinite: false)
  }

  init(_ options: JSONWritingOptions, capacity: Int, allowsNotFinite: Bool) {
    self.capacity = max(capacity, 64)
    bytes = .allocate(capacity: self.capacity)
    isPretty = options.pretty
    escapesSlashes = options.escapesSlashes
    self.allowsNotFinite = allowsNotFinite
  }

  deinit {
    bytes.deallocate()
  }

  /// The number of written bytes.
  @inlinable public var count: Int { length }

  /// Calls `body` with the written bytes.
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: bytes, count: length))
  }

  /// Discards the written bytes, and keeps the buffer for the next document.
  public mutating func removeAll() {
    length = 0
    next = .first
    depth = 0
  }

  /// Ends writing and returns the document. A long one is moved, not copied.
  public consuming func takeData() -> Data {
    let data: Data
    if length > 16_384, length > capacity / 4 {
      data = Data(bytesNoCopy: bytes, count: length, deallocator: .custom { bytes, _ in bytes.deallocate() })
    } else {
      data = Data(bytes: bytes, count: length)
      bytes.deallocate()
    }
    discard self
    return data
  }

  /// Ends writing and returns the document as text.
  consuming func takeString() -> String {
    String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
  }

  // MARK: Containers

  /// Starts an object.
  @inlinable
  public mutating func beginObject() throws(JSONWritingError) {
    try begin(UInt8(ascii: "{"))
  }

  /// Ends the innermost object.
  @inlinable
  public mutating func endObject() {
    end(UInt8(ascii: "}"))
  }

  /// Starts an array.
  @inlinable
  public mutating func beginArray() throws(JSONWritingError) {
    try begin(UInt8(ascii: "["))
  }

  /// Ends the innermost array.
  @inlinable
  public mutating func endArray() {
    end(UInt8(ascii: "]"))
  }

  @usableFromInline
  mutating func begin(_ bracket: UInt8) throws(JSONWritingError) {
    guard depth < JSONReadingOptions.maximumTreeDepth else {
      let limit = JSONReadingOptions.maximumTreeDepth
      throw JSONWritingError(
        code: .tooDeep, message: "more than \(limit) arrays and objects are nested")
    }
    beginValue()
    append(bracket)
    depth &+= 1
    next = .first
  }

  @usableFromInline
  mutating func end(_ bracket: UInt8) {
    depth &-= 1
    if isPretty, next != .first { breakLine() }
    append(bracket)
    next = .separated
  }

  // MARK: Separators

  @inlinable
  @inline(__always)
  mutating func beginValue() {
    if next == .afterKey { next = .separated } else { separate() }
  }

  /// Writes the comma and the indentation before a key or an element.
  @inlinable
  @inline(__always)
  mutating func separate() {
    if next == .separated { append(UInt8(ascii: ",")) }
    next = .separated
    if isPretty, depth > 0 { breakLine() }
  }

  @usableFromInline
  @inline(never)
  mutating func breakLine() {
    reserve(1 &+ 2 &* depth)
    bytes[length] = UInt8(ascii: "\n")
    (bytes + length + 1).update(repeating: UInt8(ascii: " "), count: 2 &* depth)
    length &+= 1 &+ 2 &* depth
  }

  // MARK: Bytes

  /// Reserves capacity for more bytes.
  @inlinable
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if capacity &- length < more { grow(more) }
  }

  @usableFromInline
  @inline(never)
  mutating func grow(_ more: Int) {
    let larger = max(capacity * 2, length + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: bytes, count: length)
    bytes.deallocate()
    bytes = moved
    capacity = larger
  }

  @inlinable
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    bytes[length] = byte
    length &+= 1
  }

  @usableFromInline
  mutating func append(_ other: UnsafeBufferPointer<UInt8>) {
    guard let address = other.baseAddress else { return }
    reserve(other.count)
    (bytes + length).update(from: address, count: other.count)
    length &+= other.count
  }

  @usableFromInline
  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

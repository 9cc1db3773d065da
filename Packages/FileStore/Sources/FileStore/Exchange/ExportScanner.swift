/// A scanner that splits an exported file into the JSON of its parts, and keeps one part in memory.
struct ExportScanner: Sendable {
  /// A value of the file, unchanged.
  struct Value: Sendable {
    var bytes: [UInt8]
    var offset: UInt64
    var line: Int
  }

  private let file: any StoreFile
  private var window: [UInt8] = []
  private var next = 0

  /// The offset in the file of the window's first byte.
  private var base: UInt64 = 0
  private(set) var line = 1

  /// The longest value, in bytes: a line of a journal can't be longer.
  private static let longestValue = 1 << 30

  init(_ file: any StoreFile) { self.file = file }

  /// The offset of the next byte.
  var offset: UInt64 { base + UInt64(next) }

  func failure(_ reason: String) -> ExportFileError { ExportFileError(line: line, offset: offset, reason: reason) }

  /// Returns the next byte without consuming it; nil at the end of the file.
  private mutating func peek() throws -> UInt8? {
    if next == window.count {
      base += UInt64(window.count)
      window = try [UInt8](unsafeUninitializedCapacity: 1 << 18) { [base] buffer, count in
        count = try file.readFully(into: UnsafeMutableRawBufferPointer(buffer), at: base)
      }
      next = 0
    }
    return next < window.count ? window[next] : nil
  }

  private mutating func pass() {
    if window[next] == 0x0a { line += 1 }
    next += 1
  }

  /// Returns the next byte after white space without consuming it.
  mutating func peekPart() throws -> UInt8? {
    while let byte = try peek(), [0x20, 0x09, 0x0a, 0x0d].contains(byte) { pass() }
    return try peek()
  }

  /// Consumes an expected byte after white space.
  mutating func pass(_ expected: Unicode.Scalar) throws {
    guard let byte = try peekPart() else { throw failure("the file ends where '\(expected)' is expected") }
    guard UInt32(byte) == expected.value else { throw failure("'\(expected)' is expected here") }
    pass()
  }

  /// Consumes the next byte after white space if it is the given one.
  mutating func passIf(_ wanted: Unicode.Scalar) throws -> Bool {
    guard let byte = try peekPart(), UInt32(byte) == wanted.value else { return false }
    pass()
    return true
  }

  /// Consumes a value. Its contents are not checked.
  mutating func value() throws -> Value {
    guard let first = try peekPart() else { throw failure("the file ends where a value is expected") }
    var value = Value(bytes: [], offset: offset, line: line)
    func take(_ scanner: inout ExportScanner, _ byte: UInt8) throws {
      value.bytes.append(byte)
      if value.bytes.count > Self.longestValue { throw scanner.failure("the value is too long") }
      scanner.pass()
    }
    var depth = 0
    var isInString = false
    var isEscaped = false
    while let byte = try peek() {
      if isInString {
        try take(&self, byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          if depth == 0 { return value }
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return value.bytes.isEmpty ? try emptyValue() : value }
        depth -= 1
        try take(&self, byte)
        if depth == 0 { return value }
        continue
      case UInt8(ascii: ","), 0x20, 0x09, 0x0a, 0x0d:
        if depth == 0 { return value.bytes.isEmpty ? try emptyValue() : value }
      default: break
      }
      try take(&self, byte)
    }
    if depth > 0 || isInString || first == UInt8(ascii: "\"") {
      throw ExportFileError(line: value.line, offset: value.offset, reason: "the file ends inside this value")
    }
    return value
  }

  private func emptyValue() throws -> Value { throw failure("a value is expected here") }
}

/// An error in a file to import.
struct ExportFileError: Error {
  let line: Int
  let offset: UInt64

  /// A part of a sentence, or sentences.
  let reason: String

  /// The position and the reason, as the end of a sentence. The position is first, because a reason can have several
  /// sentences.
  var text: String { "line \(line), offset \(offset): \(reason)\(reason.hasSuffix(".") ? "" : ".")" }
}

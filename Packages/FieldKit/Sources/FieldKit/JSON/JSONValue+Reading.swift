#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension JSONValue {
  /// Creates a value from a JSON document as RFC 8259 defines it. Anything that is not JSON is rejected.
  ///
  /// A leading UTF-8 byte order mark is ignored. If an object has a key more than once, the last value counts.
  ///
  /// - Parameters:
  ///   - bytes: The document in UTF-8: `Data`, `[UInt8]`, or another contiguous buffer.
  ///   - options: The limits.
  /// - Throws: ``JSONSyntaxError``, with its position.
  /// - Complexity: O(*n*), where *n* is the length of the document.
  public init(json bytes: some ContiguousBytes, options: JSONReadingOptions = .init()) throws(JSONSyntaxError) {
    self = try withDocument(bytes) { (bytes) throws(JSONSyntaxError) in
      var scanner = try JSONScanner(document: bytes, options: options, buildsTree: true)
      let value = try scanner.readValue()
      try scanner.finish()
      return value
    }
  }

  /// Creates a value from JSON text.
  ///
  /// - Parameters:
  ///   - text: The document.
  ///   - options: The limits; the number of bytes is that of the text in UTF-8.
  /// - Throws: ``JSONSyntaxError``, with its position.
  /// - Complexity: O(*n*), where *n* is the length of the document.
  public init(json text: some StringProtocol, options: JSONReadingOptions = .init()) throws(JSONSyntaxError) {
    self = try withDocument(text) { (bytes) throws(JSONSyntaxError) in
      var scanner = try JSONScanner(document: bytes, options: options, buildsTree: true)
      let value = try scanner.readValue()
      try scanner.finish()
      return value
    }
  }

  /// Checks that a document is JSON, every byte of it, without building anything.
  ///
  /// - Parameters:
  ///   - bytes: The document in UTF-8.
  ///   - options: The limits. Any depth is possible here: a level of nesting takes one bit.
  /// - Throws: The ``JSONSyntaxError`` that reading would throw.
  /// - Complexity: O(*n*), where *n* is the length of the document.
  public static func validate(
    json bytes: some ContiguousBytes, options: JSONReadingOptions = .init()
  ) throws(JSONSyntaxError) {
    try withDocument(bytes) { (bytes) throws(JSONSyntaxError) in
      var scanner = try JSONScanner(document: bytes, options: options, buildsTree: false)
      try scanner.skipValue()
      try scanner.finish()
    }
  }

  /// Checks that a text is JSON without building anything.
  ///
  /// - Parameters:
  ///   - text: The document.
  ///   - options: The limits. Any depth is possible here: a level of nesting takes one bit.
  /// - Throws: The ``JSONSyntaxError`` that reading would throw.
  /// - Complexity: O(*n*), where *n* is the length of the document.
  public static func validate(
    json text: some StringProtocol, options: JSONReadingOptions = .init()
  ) throws(JSONSyntaxError) {
    try withDocument(text) { (bytes) throws(JSONSyntaxError) in
      var scanner = try JSONScanner(document: bytes, options: options, buildsTree: false)
      try scanner.skipValue()
      try scanner.finish()
    }
  }
}

extension JSONScanner {
  /// Creates a scanner at the start of a whole document, after its byte order mark, and checks its size.
  ///
  /// - Parameters:
  ///   - bytes: The document, which must outlive the scanner.
  ///   - options: The limits.
  ///   - buildsTree: Whether values are built, which limits the depth to one that can be released.
  public init(
    document bytes: UnsafeRawBufferPointer, options: JSONReadingOptions, buildsTree: Bool
  ) throws(JSONSyntaxError) {
    let limit = JSONReadingOptions.maximumTreeDepth
    self.init(bytes, maximumDepth: buildsTree ? min(options.maximumDepth, limit) : options.maximumDepth)
    if let maximum = options.maximumBytes, bytes.count > maximum {
      throw failure(.tooLarge, at: maximum, "expected at most \(maximum) bytes, found \(bytes.count)")
    }
    skipByteOrderMark()
  }

  /// Reads the next value of any kind.
  public mutating func readValue() throws(JSONSyntaxError) -> JSONValue {
    switch try peek() {
    case .null:
      try readNull()
      return .null
    case .bool: return .bool(try readBool())
    case .number: return try readNumber()
    case .string: return .string(try readString())
    case .array, .object:
      var builder = JSONTreeBuilder()
      return try builder.read(&self)
    }
  }
}

/// Calls `body` with the bytes of a document, with a typed error.
func withDocument<Bytes: ContiguousBytes, Result>(
  _ bytes: Bytes, _ body: (UnsafeRawBufferPointer) throws(JSONSyntaxError) -> Result
) throws(JSONSyntaxError) -> Result {
  let result = bytes.withUnsafeBytes { bytes in
    Swift.Result { () throws(JSONSyntaxError) in try body(bytes) }
  }
  return try result.get()
}

/// Calls `body` with the UTF-8 of a text, with a typed error.
private func withDocument<Result>(
  _ text: some StringProtocol, _ body: (UnsafeRawBufferPointer) throws(JSONSyntaxError) -> Result
) throws(JSONSyntaxError) -> Result {
  var text = String(text)
  let result = text.withUTF8 { utf8 in
    Swift.Result { () throws(JSONSyntaxError) in try body(UnsafeRawBufferPointer(utf8)) }
  }
  return try result.get()
}

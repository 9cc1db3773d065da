/// Tells why a document is not JSON, and where.
///
/// The description is a sentence for the person who wrote the document:
/// `Invalid JSON at line 3, column 14 (byte 52): expected a value, found "]".`
public struct JSONSyntaxError: Error, Sendable, CustomStringConvertible {
  /// What kind of mistake it is. More may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the mistake, the same as that of the constant.
    public let name: String

    /// Makes a code of a name, which equals every other code of that name.
    public init(_ name: String) {
      self.name = name
    }

    /// The name.
    public var description: String { name }

    /// The document ends where something is still missing; an empty document, too.
    public static let unexpectedEnd = Self("unexpectedEnd")
    /// Another character is due at this place.
    public static let unexpectedCharacter = Self("unexpectedCharacter")
    /// A number has leading zeros, or lacks digits where they are due.
    public static let invalidNumber = Self("invalidNumber")
    /// A backslash is followed by something that it can't escape.
    public static let invalidEscape = Self("invalidEscape")
    /// One half of a pair of `\u` surrogates stands alone.
    public static let loneSurrogate = Self("loneSurrogate")
    /// A string contains a character below U+0020 that is not escaped.
    public static let controlCharacter = Self("controlCharacter")
    /// The bytes of a string are not UTF-8.
    public static let invalidUTF8 = Self("invalidUTF8")
    /// Arrays and objects are nested deeper than the options allow.
    public static let tooDeep = Self("tooDeep")
    /// The document has more bytes than the options allow.
    public static let tooLarge = Self("tooLarge")
    /// Something follows the value that is the document.
    public static let trailingContent = Self("trailingContent")
    /// The document is JSON, but there is no array where one is to be read.
    public static let missingArray = Self("missingArray")
    /// A key comes again after what it led to was handed out of a stream, which can't be taken back.
    public static let duplicateKey = Self("duplicateKey")
  }

  // One reference, so that a function which can throw this returns as fast as one which can't.
  private final class Storage: Sendable {
    let code: Code
    let message: String
    let offset: Int
    let line: Int
    let column: Int

    init(code: Code, message: String, offset: Int, line: Int, column: Int) {
      self.code = code
      self.message = message
      self.offset = offset
      self.line = line
      self.column = column
    }
  }

  private let storage: Storage

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: The kind of mistake.
  ///   - message: What was expected and what was found, without a full stop.
  ///   - offset: The number of bytes before the mistake.
  ///   - line: The line, from 1.
  ///   - column: The character in the line, from 1.
  public init(code: Code, message: String, offset: Int, line: Int, column: Int) {
    storage = Storage(code: code, message: message, offset: offset, line: line, column: column)
  }

  /// The kind of mistake.
  public var code: Code { storage.code }

  /// What was expected and what was found, without the place and without a full stop.
  public var message: String { storage.message }

  /// The number of bytes before the mistake, a byte order mark included.
  public var offset: Int { storage.offset }

  /// The line of the mistake, from 1. Lines end with LF, CR LF or CR.
  public var line: Int { storage.line }

  /// Where in the line the mistake is, from 1, counted in Unicode scalars without a byte order mark.
  public var column: Int { storage.column }

  /// A sentence that tells where the mistake is, what was expected and what was found.
  public var description: String {
    let subject = code == .missingArray ? "This document does not fit" : "Invalid JSON"
    return "\(subject) at line \(line), column \(column) (byte \(offset)): \(message)."
  }
}

extension JSONSyntaxError: Hashable {
  /// Tells whether both report the same mistake at the same place.
  public static func == (left: JSONSyntaxError, right: JSONSyntaxError) -> Bool {
    left.code == right.code && left.message == right.message && left.offset == right.offset
      && left.line == right.line && left.column == right.column
  }

  /// Hashes the kind of mistake and its place.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(offset)
  }
}

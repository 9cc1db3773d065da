/// The reason why a document is not JSON, with its position.
///
/// The description is a sentence for the author of the document:
/// `Invalid JSON at line 3, column 14 (byte 52): expected a value, found "]".`
public struct JSONSyntaxError: Error, Sendable, CustomStringConvertible {
  /// The kind of a syntax error. More may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the error, the same as that of the constant.
    public let name: String

    /// Creates a code from a name, which equals every other code of that name.
    public init(_ name: String) {
      self.name = name
    }

    /// The name.
    public var description: String { name }

    /// The document is empty, or ends before a value or container is complete.
    public static let unexpectedEnd = Self("unexpectedEnd")
    /// Another character is expected at this position.
    public static let unexpectedCharacter = Self("unexpectedCharacter")
    /// A number has leading zeros, or lacks required digits.
    public static let invalidNumber = Self("invalidNumber")
    /// A backslash is followed by a character that can't be escaped.
    public static let invalidEscape = Self("invalidEscape")
    /// A surrogate written with `\u` has no other half.
    public static let loneSurrogate = Self("loneSurrogate")
    /// A string contains a character below U+0020 that is not escaped.
    public static let controlCharacter = Self("controlCharacter")
    /// The bytes of a string are not UTF-8.
    public static let invalidUTF8 = Self("invalidUTF8")
    /// Arrays and objects are nested deeper than the options allow.
    public static let tooDeep = Self("tooDeep")
    /// The document has more bytes than the options allow.
    public static let tooLarge = Self("tooLarge")
    /// Something follows the value of the document.
    public static let trailingContent = Self("trailingContent")
    /// The document is JSON, but has no array at the path.
    public static let missingArray = Self("missingArray")
    /// A key on the path to an array occurs again in a stream or an import, which can't replace its first value.
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

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of the error.
  ///   - message: The expected and the found text, without a full stop.
  ///   - offset: The number of bytes before the error.
  ///   - line: The line, from 1.
  ///   - column: The character in the line, from 1.
  public init(code: Code, message: String, offset: Int, line: Int, column: Int) {
    storage = Storage(code: code, message: message, offset: offset, line: line, column: column)
  }

  /// The kind of the error.
  public var code: Code { storage.code }

  /// The expected and the found content, without the position and without a full stop.
  public var message: String { storage.message }

  /// The number of bytes before the error, a byte order mark included.
  public var offset: Int { storage.offset }

  /// The line of the error, from 1. Lines end with LF, CR LF or CR.
  public var line: Int { storage.line }

  /// The column of the error in its line, from 1, counted in Unicode scalars without a byte order mark.
  public var column: Int { storage.column }

  /// A sentence with the position of the error, the expected and the found content.
  public var description: String {
    let subject = code == .missingArray ? "The document has no list" : "Invalid JSON"
    return "\(subject) at line \(line), column \(column) (byte \(offset)): \(message)."
  }
}

extension JSONSyntaxError: Hashable {
  /// Returns whether both report the same error at the same position.
  public static func == (left: JSONSyntaxError, right: JSONSyntaxError) -> Bool {
    left.code == right.code && left.message == right.message && left.offset == right.offset
      && left.line == right.line && left.column == right.column
  }

  /// Hashes the kind of the error and its position.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(offset)
  }
}

/// The reason why a value can't be written as JSON, with its path.
public struct JSONWritingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a writing error. More may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the error, the same as that of the constant.
    public let name: String

    /// Creates a code from a name, which equals every other code of that name.
    public init(_ name: String) {
      self.name = name
    }

    /// The name.
    public var description: String { name }

    /// A number is infinite or not a number, for which JSON has no spelling.
    public static let notFinite = Self("notFinite")
    /// Arrays and objects are nested deeper than ``JSONReadingOptions/maximumTreeDepth``.
    public static let tooDeep = Self("tooDeep")
  }

  /// The kind of the error.
  public var code: Code
  /// The reason, without a full stop.
  public var message: String
  /// The path inside the value that was to be written, as in `books[0].price`; empty for the value itself.
  public var path: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of the error.
  ///   - message: The reason, without a full stop.
  ///   - path: The path inside the value that was to be written.
  public init(code: Code, message: String, path: String = "") {
    self.code = code
    self.message = message
    self.path = path
  }

  /// A sentence with the reason and the path.
  public var description: String {
    // The path of a value that is nested too deeply is as long as the nesting.
    path.isEmpty
      ? "Nothing was written: \(message)." : "Nothing was written: at \(path.quotedForMessage), \(message)."
  }
}

/// Tells why a value can't be written as JSON, and which part of it.
public struct JSONWritingError: Error, Sendable, Hashable, CustomStringConvertible {
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

    /// A number is infinite or not a number, for which JSON has no spelling.
    public static let notFinite = Self("notFinite")
    /// Arrays and objects are nested deeper than ``JSONReadingOptions/maximumTreeDepth``.
    public static let tooDeep = Self("tooDeep")
  }

  /// The kind of mistake.
  public var code: Code
  /// What can't be written, without a full stop.
  public var message: String
  /// Where it is inside the value that was to be written, as in `books[0].price`; empty for the value itself.
  public var path: String

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: The kind of mistake.
  ///   - message: What can't be written, without a full stop.
  ///   - path: Where it is inside the value that was to be written.
  public init(code: Code, message: String, path: String = "") {
    self.code = code
    self.message = message
    self.path = path
  }

  /// A sentence that tells what can't be written, and where it is.
  public var description: String {
    // What is too deep has a path as long as it is deep.
    path.isEmpty
      ? "Nothing was written: \(message)." : "Nothing was written: at \(path.quotedForMessage), \(message)."
  }
}

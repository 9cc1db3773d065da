/// The limits of reading JSON.
public struct JSONReadingOptions: Sendable, Hashable {
  /// How many arrays and objects may be inside each other; one more is an error. 512 unless told otherwise.
  ///
  /// When a ``JSONValue`` is built, values above ``maximumTreeDepth`` count as ``maximumTreeDepth``: releasing a deeper
  /// tree could overflow the stack. Checking a document without building anything takes any depth.
  public var maximumDepth: Int
  /// How many bytes a document may have, or nil for any number; a longer one is refused before it is read.
  public var maximumBytes: Int?

  /// The deepest nesting of a ``JSONValue`` that is read or written.
  public static var maximumTreeDepth: Int { 1_024 }

  /// Makes options.
  ///
  /// - Parameters:
  ///   - maximumDepth: How many arrays and objects may be inside each other.
  ///   - maximumBytes: How many bytes a document may have, or nil for any number.
  public init(maximumDepth: Int = 512, maximumBytes: Int? = nil) {
    self.maximumDepth = maximumDepth
    self.maximumBytes = maximumBytes
  }
}

/// The limits of reading JSON.
///
/// They bound what a document from a stranger can cost: whatever it is, it ends in a result or an error, in time linear
/// in its length.
///
/// Of a key that an object has more than once the last value counts, wherever a whole document is read. A stream has
/// handed out what the first one led to: there a key on the way to the list which comes again is an error.
public struct JSONReadingOptions: Sendable, Hashable {
  /// How many arrays and objects may be inside each other; one more is an error. 512 unless told otherwise.
  ///
  /// When a ``JSONValue`` is built, values above ``maximumTreeDepth`` count as ``maximumTreeDepth``: releasing a deeper
  /// tree could overflow the stack. Checking a document without building anything takes any depth.
  public var maximumDepth: Int
  /// How many bytes a document may have, or nil for any number; a longer one is refused before it is read.
  ///
  /// Of a stream, as many bytes are read.
  public var maximumBytes: Int?
  /// How many bytes one element of a stream may have, or nil for any number. 64 MiB unless told otherwise.
  ///
  /// A stream holds one element at a time, so this bounds its memory. It does not matter where a whole document is read.
  public var maximumElementBytes: Int?

  /// The deepest nesting of a ``JSONValue`` that is read or written, which fits on the stack of any thread.
  public static var maximumTreeDepth: Int { 512 }

  /// How many combining marks may follow each other in a string or key. Text has a handful; many thousands would keep
  /// every comparison busy for seconds.
  public static var maximumCombiningMarks: Int { 256 }

  /// Makes options.
  ///
  /// - Parameters:
  ///   - maximumDepth: How many arrays and objects may be inside each other.
  ///   - maximumBytes: How many bytes a document may have, or nil for any number.
  ///   - maximumElementBytes: How many bytes one element of a stream may have, or nil for any number.
  public init(maximumDepth: Int = 512, maximumBytes: Int? = nil, maximumElementBytes: Int? = 67_108_864) {
    self.maximumDepth = maximumDepth
    self.maximumBytes = maximumBytes
    self.maximumElementBytes = maximumElementBytes
  }
}

/// The limits of reading JSON.
///
/// They bound the cost of a document from an untrusted source. Reading always ends in a result or an error, in time
/// linear in the length of the document.
///
/// If an object has a key more than once, the last value is used where a whole document is read. A stream may have
/// returned elements of the first value already. There, a repeated key on the path to the list is an error.
public struct JSONReadingOptions: Sendable, Hashable {
  /// The largest depth of nested arrays and objects; 512 by default. Deeper nesting is an error.
  ///
  /// When a ``JSONValue`` is built, values above ``maximumTreeDepth`` count as ``maximumTreeDepth``: releasing a deeper
  /// tree could overflow the stack. Checking a document without building anything takes any depth.
  public var maximumDepth: Int
  /// The largest number of bytes of a document, or nil for any number. A longer one is rejected before it is read.
  ///
  /// A stream is read up to this number of bytes.
  public var maximumBytes: Int?
  /// The largest number of bytes of one element of a stream, or nil for any number. 64 MiB by default.
  ///
  /// A stream holds one element at a time, so this bounds its memory. It has no effect where a whole document is read.
  public var maximumElementBytes: Int?

  /// The deepest nesting of a ``JSONValue`` that is read or written, which fits on the stack of any thread.
  public static var maximumTreeDepth: Int { 512 }

  /// The largest number of consecutive combining marks in a string or key. Text has a handful; many thousands would
  /// make every comparison take seconds.
  public static var maximumCombiningMarks: Int { 256 }

  /// Creates options.
  ///
  /// - Parameters:
  ///   - maximumDepth: The largest depth of nested arrays and objects.
  ///   - maximumBytes: The largest number of bytes of a document, or nil for any number.
  ///   - maximumElementBytes: The largest number of bytes of one element of a stream, or nil for any number.
  public init(maximumDepth: Int = 512, maximumBytes: Int? = nil, maximumElementBytes: Int? = 67_108_864) {
    self.maximumDepth = maximumDepth
    self.maximumBytes = maximumBytes
    self.maximumElementBytes = maximumElementBytes
  }
}

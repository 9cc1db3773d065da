/// How large a model file may be.
public struct SchemaReadingOptions: Hashable, Sendable {
  /// The greatest size in bytes; 16 MB by default, which holds tens of thousands of entities.
  public var maximumBytes: Int
  /// How many elements may lie inside each other; 32 by default. A model file needs seven.
  public var maximumDepth: Int

  /// Creates options.
  public init(maximumBytes: Int = 16 << 20, maximumDepth: Int = 32) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
  }
}

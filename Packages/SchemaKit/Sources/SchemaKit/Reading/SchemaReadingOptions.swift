/// Limits of the size of a model file.
public struct SchemaReadingOptions: Hashable, Sendable {
  /// The greatest size in bytes. The default of 16 MB holds tens of thousands of entities.
  public var maximumBytes: Int
  /// The greatest depth of nested elements; 32 by default. A model file needs seven.
  public var maximumDepth: Int

  /// Creates options.
  public init(maximumBytes: Int = 16 << 20, maximumDepth: Int = 32) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
  }
}

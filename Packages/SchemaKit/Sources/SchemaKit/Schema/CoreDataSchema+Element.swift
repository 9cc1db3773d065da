extension CoreDataSchema {
  /// A part of a model file without meaning for models, kept and written again unchanged. Examples are fetched
  /// properties, fetch requests, configurations, the positions of a diagram, and unknown elements.
  public struct Element: Hashable, Sendable {
    /// The name of the XML element.
    public var name: String
    /// Its XML attributes.
    public var attributes: [String: String]
    /// The nested elements in their order.
    public var children: [Element]
    /// The text content, without surrounding white space.
    public var text: String
    var place = SourcePosition()

    /// The line in the file; nil if the element was not read from one.
    public var line: Int? { place.line }

    /// Creates an element.
    public init(
      name: String, attributes: [String: String] = [:], children: [Element] = [], text: String = ""
    ) {
      self.name = name
      self.attributes = attributes
      self.children = children
      self.text = text
    }
  }
}

extension CoreDataSchema {
  /// A part of a model file that means nothing to models, kept as it is and written again: fetched properties, fetch
  /// requests, configurations, the positions of a diagram, and whatever is not known.
  public struct Element: Hashable, Sendable {
    /// The name of the XML element.
    public var name: String
    /// Its XML attributes.
    public var attributes: [String: String]
    /// The elements inside, in their order.
    public var children: [Element]
    /// The text inside, without white space around it.
    public var text: String
    var place = SourcePlace()

    /// The line of the file on which it begins; nil if it was not read from one.
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

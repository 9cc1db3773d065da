/// A value that can be present and yet have no content, such as an empty text.
///
/// ```swift
/// struct Address: Blankable {
///   var street = ""
///   var isBlank: Bool { street.isEmpty }
/// }
/// let address = Field<Address>().require(.notBlank)
/// ```
public protocol Blankable {
  /// Whether the value has no content.
  var isBlank: Bool { get }
}

extension String: Blankable {
  /// Whether the text is empty or has only white space.
  public var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

extension Array: Blankable {
  /// Whether the list has no elements.
  public var isBlank: Bool { isEmpty }
}

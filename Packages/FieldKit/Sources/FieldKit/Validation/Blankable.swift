/// Something that can be there and yet say nothing, such as an empty text.
///
/// ```swift
/// struct Address: Blankable {
///   var street = ""
///   var isBlank: Bool { street.isEmpty }
/// }
/// let address = Field<Address>().require(.notBlank)
/// ```
public protocol Blankable {
  /// Whether there is nothing in it.
  var isBlank: Bool { get }
}

extension String: Blankable {
  /// Whether the text is empty. White space counts as text.
  public var isBlank: Bool { isEmpty }
}

extension Array: Blankable {
  /// Whether the list has no elements.
  public var isBlank: Bool { isEmpty }
}

/// A reader that removes the XML attributes of an element one by one. The rest at the end is unknown.
struct ElementReader {
  let element: CoreDataSchema.Element
  private(set) var rest: [String: String]

  init(_ element: CoreDataSchema.Element) {
    self.element = element
    rest = element.attributes
  }

  /// Returns the value of an attribute, and marks the attribute as read; nil if there is none.
  mutating func text(_ name: String) -> String? { rest.removeValue(forKey: name) }

  /// Returns the value of a required attribute.
  ///
  /// - Throws: ``SchemaFileError``.
  mutating func requiredText(_ name: String) throws -> String {
    guard let text = text(name), !text.isEmpty else {
      throw SchemaFileError(.incomplete, "<\(element.name)> has no \(name).", line: element.line)
    }
    return text
  }

  /// Returns the value of an attribute with `YES` or `NO`; nil for any other value, which remains unread.
  mutating func flag(_ name: String) -> Bool? {
    let flag: Bool? =
      switch rest[name] {
      case "YES"?: true
      case "NO"?: false
      default: nil
      }
    if flag != nil { rest[name] = nil }
    return flag
  }

  /// Returns the value of an attribute with a whole number; nil for any other value, which remains unread.
  mutating func number(_ name: String) -> Int? {
    guard let number = rest[name].flatMap({ Int($0) }) else { return nil }
    rest[name] = nil
    return number
  }
}

/// Takes the XML attributes of an element one by one; what is left at the end nobody asked for.
struct ElementReader {
  let element: CoreDataSchema.Element
  private(set) var rest: [String: String]

  init(_ element: CoreDataSchema.Element) {
    self.element = element
    rest = element.attributes
  }

  /// The value of an attribute; nil if there is none.
  mutating func text(_ name: String) -> String? { rest.removeValue(forKey: name) }

  /// The value of an attribute that has to be there.
  ///
  /// - Throws: ``SchemaFileError``.
  mutating func requiredText(_ name: String) throws -> String {
    guard let text = text(name), !text.isEmpty else {
      throw SchemaFileError(.incomplete, "<\(element.name)> has no \(name).", line: element.line)
    }
    return text
  }

  /// Whether an attribute says `YES`; nil if it says neither that nor `NO`, which is left then.
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

  /// The whole number an attribute says; nil if it does not, whatever it says is left then.
  mutating func number(_ name: String) -> Int? {
    guard let number = rest[name].flatMap({ Int($0) }) else { return nil }
    rest[name] = nil
    return number
  }
}

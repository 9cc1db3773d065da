// Names and texts of a schema are untrusted: each one is checked or quoted before it is written into source.
extension SwiftSourceWriter {
  func name(ofClassOf entity: CoreDataSchema.Entity) throws -> String {
    let name = entity.className
    if Self.usedTypes.contains(name) {
      throw SwiftSourceError(
        entity: entity.name, property: nil,
        reason: "\(name) is another declaration in the source; give the entity another class")
    }
    return try Self.identifier(name, entity, nil)
  }

  /// The types that generated source refers to by name; no class of an entity may have such a name.
  private static let usedTypes: Set<String> = [
    "Model", "ModelObject", "SchemaMapped", "Field", "Required", "ArrayField", "ModelField", "ModelArrayField",
    "AnyField",
    "AttributeDictionary", "JSONValue", "String", "Int", "Double", "Float", "Bool", "Decimal", "Date", "Data", "UUID",
    "URL", "Type", "Self", "Protocol",
  ]

  /// Returns the name of the class with the fields, the superclass of the class that is edited by hand.
  static func fieldsName(_ className: String) -> String {
    className.hasPrefix("`") ? "\(className.dropFirst().dropLast())Fields" : "\(className)Fields"
  }

  /// Returns a name as a Swift identifier, in backticks if necessary.
  static func identifier(_ name: String, _ entity: CoreDataSchema.Entity, _ property: String?) throws -> String {
    let isName =
      name.first.map { $0.isLetter || $0 == "_" } == true && name != "_"
      && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    guard isName else {
      throw SwiftSourceError(
        entity: entity.name, property: property, reason: "\"\(name)\" is not a valid name in Swift")
    }
    if property != nil, reserved.contains(name) {
      throw SwiftSourceError(
        entity: entity.name, property: property, reason: "models have a member called \(name) already")
    }
    return keywords.contains(name) ? "`\(name)`" : name
  }

  /// The names that a field can't have, because its superclass has them.
  private static let reserved: Set<String> = [
    "identifierField", "init", "self", "Self", "Type", "entityName", "hashValue",
  ]

  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "inout", "internal",
    "let",
    "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows", "static", "struct", "subscript",
    "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for",
    "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as", "await", "false", "is",
    "nil",
    "super", "throws", "true", "try",
  ]

  /// Returns a text as a string literal.
  static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\t": literal += "\\t"
      case _ where scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format:
        literal += "\\u{\(String(scalar.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }

  /// Returns a type in its short form.
  static func shortened(_ type: String) -> String {
    guard type.hasPrefix("Array<"), type.hasSuffix(">") else { return type }
    return "[\(shortened(String(type.dropFirst("Array<".count).dropLast())))]"
  }

  /// Returns a whole number as a literal, with groups of digits if it is large.
  static func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    guard digits.count > 6 else { return String(number) }
    var groups: [Substring] = []
    var rest = digits[...]
    while !rest.isEmpty {
      groups.insert(rest.suffix(3), at: 0)
      rest = rest.dropLast(3)
    }
    return (number < 0 ? "-" : "") + groups.joined(separator: "_")
  }

  /// Returns a text as one line.
  static func line(_ text: String) -> String { text.split(whereSeparator: \.isNewline).joined(separator: " ") }

  /// Returns the documentation of the user info as a comment.
  func documentation(_ userInfo: [String: String], _ otherwise: String?, indent: String) -> [String] {
    guard let text = userInfo["documentation"] ?? userInfo["comment"] ?? otherwise else { return [] }
    return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
      line.isEmpty ? "\(indent)///" : "\(indent)/// \(line)"
    }
  }
}

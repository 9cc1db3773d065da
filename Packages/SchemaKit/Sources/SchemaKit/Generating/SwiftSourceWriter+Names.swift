// Names and texts of a schema may be anything; what is written into source is checked or quoted.
extension SwiftSourceWriter {
  func name(ofClassOf entity: CoreDataSchema.Entity) throws -> String {
    let name = entity.className
    if Self.usedTypes.contains(name) {
      throw SwiftSourceError(
        entity: entity.name, property: nil,
        reason: "\(name) is something else in the source; give the entity another class")
    }
    return try Self.identifier(name, entity, nil)
  }

  /// The types that generated source names, and means others than those of entities by.
  private static let usedTypes: Set<String> = [
    "Model", "ModelObject", "SchemaMapped", "Field", "ArrayField", "ModelField", "ModelArrayField", "FieldProtocol",
    "AttributeDictionary", "JSONValue", "String", "Int", "Double", "Float", "Bool", "Decimal", "Date", "Data", "UUID",
    "URL", "Type", "Self", "Protocol",
  ]

  /// The name of the class with the fields, from which the one that people write is derived.
  static func fieldsName(_ className: String) -> String {
    className.hasPrefix("`") ? "\(className.dropFirst().dropLast())Fields" : "\(className)Fields"
  }

  /// A name as Swift takes it.
  static func identifier(_ name: String, _ entity: CoreDataSchema.Entity, _ property: String?) throws -> String {
    let isName =
      name.first.map { $0.isLetter || $0 == "_" } == true && name != "_"
      && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    guard isName else {
      throw SwiftSourceError(entity: entity.name, property: property, reason: "\"\(name)\" is no name in Swift")
    }
    if property != nil, reserved.contains(name) {
      throw SwiftSourceError(
        entity: entity.name, property: property, reason: "models have something called \(name) already")
    }
    return keywords.contains(name) ? "`\(name)`" : name
  }

  /// What a class can't call a field, as its superclass has it.
  private static let reserved: Set<String> = ["identifierField", "init", "self", "Self", "Type", "entityName"]

  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "inout", "internal",
    "let",
    "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows", "static", "struct", "subscript",
    "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for",
    "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as", "await", "false", "is",
    "nil",
    "super", "throws", "true", "try",
  ]

  /// A text as a literal.
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

  /// A type as it is usually spelled.
  static func shortened(_ type: String) -> String {
    guard type.hasPrefix("Array<"), type.hasSuffix(">") else { return type }
    return "[\(shortened(String(type.dropFirst("Array<".count).dropLast())))]"
  }

  /// A whole number as a literal, with its digits in groups if there are many.
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

  /// A text in one line.
  static func line(_ text: String) -> String { text.split(whereSeparator: \.isNewline).joined(separator: " ") }

  /// What people noted, as a documentation comment.
  func documentation(_ userInfo: [String: String], _ otherwise: String?, indent: String) -> [String] {
    guard let text = userInfo["documentation"] ?? userInfo["comment"] ?? otherwise else { return [] }
    return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
      line.isEmpty ? "\(indent)///" : "\(indent)/// \(line)"
    }
  }
}

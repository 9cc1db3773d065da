import Foundation

// Limits and other conditions of a schema as rules in source.
extension SwiftSourceWriter {
  static func rules(of attribute: CoreDataSchema.Attribute, _ type: String) -> [String] {
    var rules: [String] = []
    if !attribute.isOptional, !attribute.isDerived { rules.append(".notNil") }
    var limits: (String?, String?) = (nil, nil)
    switch type {
    case "Int":
      let range = CoreDataSchema.Attribute.range(of: attribute.type)
      let isLimited = attribute.type == .integer16 || attribute.type == .integer32
      let minimum = attribute.minimumText.flatMap { Int($0) }.map { max($0, range.lowerBound) }
      let maximum = attribute.maximumText.flatMap { Int($0) }.map { min($0, range.upperBound) }
      limits = (
        (minimum ?? (isLimited ? range.lowerBound : nil)).map(grouped),
        (maximum ?? (isLimited ? range.upperBound : nil)).map(grouped)
      )
      if let minimum, let maximum, minimum > maximum { limits = (nil, nil) }
    case "Double", "Float":
      let (minimum, maximum) = (
        attribute.minimumText.flatMap { Double($0) }, attribute.maximumText.flatMap { Double($0) }
      )
      if let minimum, let maximum, minimum > maximum { break }
      limits = (minimum.map { "\($0)" }, maximum.map { "\($0)" })
    case "String" where attribute.type == .string:
      let (minimum, maximum) = (attribute.minimumText.flatMap { Int($0) }, attribute.maximumText.flatMap { Int($0) })
      if let minimum, let maximum, minimum > maximum { break }
      limits = (minimum.map { "\($0)" }, maximum.map { "\($0)" })
    case "Decimal": limits = decimals(attribute)
    case "Date" where attribute.type == .date: limits = dates(attribute)
    default: break
    }
    if limits.0 != nil || limits.1 != nil {
      rules.append("\(type == "String" ? ".length" : ".range")(\(limits.0 ?? "")...\(limits.1 ?? ""))")
    }
    if type == "String", let pattern = attribute.regularExpression {
      rules.append(".matching(expression: \(literal(pattern)))")
    }
    return rules
  }

  private static func decimals(_ attribute: CoreDataSchema.Attribute) -> (String?, String?) {
    let limits = (
      attribute.minimumText.flatMap { Decimal(string: $0) }, attribute.maximumText.flatMap { Decimal(string: $0) }
    )
    if let minimum = limits.0, let maximum = limits.1, minimum > maximum { return (nil, nil) }
    return (limits.0.map(literal(of:)), limits.1.map(literal(of:)))
  }

  /// Returns a decimal number with all its digits. A literal with a point would be converted to binary first.
  private static func literal(of number: Decimal) -> String {
    let text = "\(number)"
    if Int(text) != nil { return text }
    return "Decimal(sign: .\(number.sign == .minus ? "minus" : "plus"), exponent: \(number.exponent), "
      + "significand: \(number.significand))"
  }

  private static func dates(_ attribute: CoreDataSchema.Attribute) -> (String?, String?) {
    let limits = (attribute.minimumText.flatMap { Double($0) }, attribute.maximumText.flatMap { Double($0) })
    if let minimum = limits.0, let maximum = limits.1, minimum > maximum { return (nil, nil) }
    func date(_ seconds: Double) -> String { "Date(timeIntervalSinceReferenceDate: \(seconds))" }
    return (limits.0.map(date), limits.1.map(date))
  }

  static func rules(of relationship: CoreDataSchema.Relationship) -> [String] {
    if !relationship.isToMany { return relationship.isOptional ? [] : [".notNil"] }
    let maximum = relationship.maximumCount.flatMap { $0 > 0 ? $0 : nil }
    let minimum = relationship.minimumCount ?? (relationship.isOptional ? 0 : 1)
    if minimum <= 0 { return maximum.map { [".count(...\($0))"] } ?? [] }
    // Swift rules can't express "empty, or at least this many members"; only the schema checks it.
    if relationship.isOptional || maximum.map({ $0 < minimum }) == true { return [] }
    return [".count(\(minimum)...\(maximum.map { "\($0)" } ?? ""))"]
  }

  // MARK: User info

  /// Returns the type of the elements, if the user info declares a list.
  func listElement(of attribute: CoreDataSchema.Attribute) -> String? {
    guard let type = attribute.userInfo["swiftType"], type.hasPrefix("["), type.hasSuffix("]"), !type.contains(":")
    else { return nil }
    return String(type.dropFirst().dropLast())
  }

  /// Returns the declaration of a list whose elements have a rule or are unique.
  static func list(
    of element: String, _ arguments: [String], _ attribute: CoreDataSchema.Attribute, _ entity: CoreDataSchema.Entity
  ) throws -> String {
    let rule = try code("swiftElementRule", attribute, entity).map { ".require(\($0))" } ?? ""
    let isUnique = ["NO", "false"].contains(attribute.userInfo["allowsDuplicates"])
    let others = arguments + (isUnique ? ["allowsDuplicates: false"] : [])
    return "ArrayField(\((["Field<\(element)>()\(rule)"] + others).joined(separator: ", ")))"
  }

  /// Returns the source in the user info, such as `.notBlank`. It is copied unchanged, so only a member expression is
  /// accepted.
  ///
  /// - Throws: ``SwiftSourceError``.
  static func code(
    _ key: String, _ attribute: CoreDataSchema.Attribute, _ entity: CoreDataSchema.Entity
  ) throws -> String? {
    guard let text = attribute.userInfo[key], !text.isEmpty else { return nil }
    let form = /\.[A-Za-z_][A-Za-z0-9_]*(\([^(){};"\\\n]*("[^"\\\n]*"[^(){};"\\\n]*)*\))?/
    guard (try? form.wholeMatch(in: text)) != nil else {
      throw SwiftSourceError(
        entity: entity.name, property: attribute.name, reason: "its \(key) is not valid: \(text); write it as .notBlank"
      )
    }
    return text
  }
}

extension CoreDataSchema.Relationship {
  /// Whether the relation is written as identifiers, because the user info has `foreignKey`.
  var isForeignKey: Bool { ["YES", "true"].contains(userInfo["foreignKey"]) }
}

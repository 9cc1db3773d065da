@_spi(ModelKitInternals) import FieldKit
import Foundation
import ModelCore

/// Conversion of the constraints of a schema to rules. The rules capture only immutable values.
enum AttributeRules {
  static func rules<Value>(for attribute: CoreDataSchema.Attribute, of type: Value.Type) -> [Rule<Value>] {
    var rules: [Rule<Value>] = []
    if !attribute.isOptional, !attribute.isDerived { rules.append(.notNil) }
    rules += (limits(attribute, type) as? [Rule<Value>]) ?? []
    if let pattern = attribute.regularExpression, let rule = Rule<String>.matching(expression: pattern) as? Rule<Value>
    {
      rules.append(rule)
    }
    return rules
  }

  static func rules<Value>(for relationship: CoreDataSchema.Relationship, of type: Value.Type) -> [Rule<Value>] {
    if !relationship.isToMany { return relationship.isOptional ? [] : [.notNil] }
    let maximum = relationship.maximumCount.flatMap { $0 > 0 ? $0 : nil }
    let minimum = relationship.minimumCount ?? (relationship.isOptional ? 0 : 1)
    if minimum <= 0, maximum == nil { return [] }
    let isOptional = relationship.isOptional
    var arguments: AttributeDictionary = [:]
    if minimum > 0 { arguments["minimum"] = .int(minimum) }
    if let maximum { arguments["maximum"] = .int(maximum) }
    let words = [minimum > 0 ? "at least \(minimum)" : nil, maximum.map { "at most \($0)" }].compactMap { $0 }
    let rule = Rule<Value>(
      code: "count", arguments: arguments, message: "must have \(words.joined(separator: " and ")) members"
    ) { value in
      guard let count = (value as? [ModelObject])?.count, !(isOptional && count == 0) else { return true }
      return count >= minimum && maximum.map { count <= $0 } ?? true
    }
    return [rule]
  }

  /// Returns the limits of a value as rules of the type; nil if the type has no comparable limits.
  private static func limits(_ attribute: CoreDataSchema.Attribute, _ type: Any.Type) -> Any? {
    let minimum = attribute.minimumText
    let maximum = attribute.maximumText
    switch type {
    case is Int.Type: return integers(attribute, Int.self)
    case is Int16.Type: return integers(attribute, Int16.self)
    case is Int32.Type: return integers(attribute, Int32.self)
    case is Int64.Type: return integers(attribute, Int64.self)
    case is Double.Type: return range(minimum.flatMap { Double($0) }, maximum.flatMap { Double($0) })
    case is Float.Type: return range(minimum.flatMap { Float($0) }, maximum.flatMap { Float($0) })
    case is Decimal.Type:
      return range(minimum.flatMap { Decimal(string: $0) }, maximum.flatMap { Decimal(string: $0) })
    case is Date.Type where attribute.type == .date: return range(date(minimum), date(maximum))
    case is String.Type where attribute.type == .string:
      return lengths(minimum.flatMap { Int($0) }, maximum.flatMap { Int($0) })
    default: return nil
    }
  }

  private static func date(_ text: String?) -> Date? {
    text.flatMap { Double($0) }.map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  private static func integers<Value: FixedWidthInteger>(
    _ attribute: CoreDataSchema.Attribute, _ type: Value.Type
  ) -> [Rule<Value>] {
    var minimum = attribute.minimumText.flatMap { Value($0) }
    var maximum = attribute.maximumText.flatMap { Value($0) }
    if attribute.type == .integer16 || attribute.type == .integer32 {
      let range = CoreDataSchema.Attribute.range(of: attribute.type)
      if let least = Value(exactly: range.lowerBound), least > Value.min {
        minimum = Swift.max(minimum ?? least, least)
      }
      if let most = Value(exactly: range.upperBound), most < Value.max { maximum = Swift.min(maximum ?? most, most) }
    }
    return range(minimum, maximum)
  }

  private static func range<Value: Comparable>(_ minimum: Value?, _ maximum: Value?) -> [Rule<Value>] {
    switch (minimum, maximum) {
    case (let minimum?, let maximum?) where minimum <= maximum: [.range(minimum...maximum)]
    case (let minimum?, nil): [.range(minimum...)]
    case (nil, let maximum?): [.range(...maximum)]
    default: []
    }
  }

  private static func lengths(_ minimum: Int?, _ maximum: Int?) -> [Rule<String>] {
    switch (minimum, maximum) {
    case (let minimum?, let maximum?) where minimum <= maximum: [.length(minimum...maximum)]
    case (let minimum?, nil): [.length(minimum...)]
    case (nil, let maximum?): [.length(...maximum)]
    default: []
    }
  }
}

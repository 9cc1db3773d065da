@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore

/// A field whose values have a JSON Schema.
protocol SchemaField: AnyField {
  /// The JSON Schema of the values: their type, and the rules that JSON Schema can express.
  var valueSchema: AttributeDictionary { get }
  /// Whether a record needs a value.
  var isRequired: Bool { get }
}

extension Field: SchemaField {
  var isRequired: Bool { declaredRules.contains { !$0.allowsNil } }

  var valueSchema: AttributeDictionary {
    // A transformer may write any JSON.
    var schema = hasOwnTransformer ? [:] : ValueSchema.schema(of: Content.self) ?? [:]
    for rule in declaredRules { Self.add(rule, to: &schema) }
    guard !isRequired, case .string(let type)? = schema["type"] else { return schema }
    schema["type"] = [.string(type), "null"]
    if case .array(let values)? = schema["enum"] { schema["enum"] = .array(values + [.null]) }
    return schema
  }

  private static func add(_ rule: DeclaredRule, to schema: inout AttributeDictionary) {
    func add(_ argument: String, as keyword: String) {
      if let value = rule.arguments[argument], value.isNumber { schema[keyword] = value }
    }
    switch (rule.code, schema["type"]) {
    case ("range", "integer"), ("range", "number"):
      add("minimum", as: "minimum")
      add("maximum", as: "maximum")
      add("below", as: "exclusiveMaximum")
    case ("length", "string"):
      add("minimum", as: "minLength")
      add("maximum", as: "maxLength")
    case ("count", "array"):
      add("minimum", as: "minItems")
      add("maximum", as: "maxItems")
    case ("notBlank", "string"): schema["pattern"] = #"\S"#
    case ("email", "string"): schema["format"] = "email"
    case ("oneOf", _): schema["enum"] = rule.arguments["values"]
    default: return
    }
  }
}

/// The JSON Schema of types of values.
enum ValueSchema {
  /// Returns the schema of a type; nil if it is unknown.
  static func schema(of type: Any.Type) -> AttributeDictionary? {
    if let plain = plainSchema(of: type) { return plain }
    if let list = type as? any ArrayValue.Type {
      return ["type": "array", "items": .object(schema(of: list.elementType) ?? [:])]
    }
    guard let raw = type as? any RawRepresentable.Type else { return nil }
    var found = rawSchema(of: raw)
    if let cases = type as? any CaseIterable.Type { found?["enum"] = values(of: cases) }
    return found
  }

  private static func plainSchema(of type: Any.Type) -> AttributeDictionary? {
    switch type {
    case is any FixedWidthInteger.Type: ["type": "integer"]
    case is Decimal.Type, is Double.Type, is Float.Type: ["type": "number"]
    case is String.Type: ["type": "string"]
    case is Bool.Type: ["type": "boolean"]
    case is Date.Type: ["type": "string", "format": "date-time"]
    case is Day.Type: ["type": "string", "format": "date"]
    case is UUID.Type: ["type": "string", "format": "uuid"]
    case is URL.Type: ["type": "string", "format": "uri"]
    case is Data.Type: ["type": "string", "contentEncoding": "base64"]
    default: nil
    }
  }

  private static func rawSchema<Raw: RawRepresentable>(of type: Raw.Type) -> AttributeDictionary? {
    plainSchema(of: Raw.RawValue.self)
  }

  private static func values<Cases: CaseIterable>(of type: Cases.Type) -> JSONValue? {
    let values = type.allCases.compactMap { element -> JSONValue? in
      switch (element as? any RawRepresentable)?.rawValue {
      case let text as String: .string(text)
      case let number as Int: .int(number)
      default: nil
      }
    }
    return values.count == type.allCases.count ? .array(values) : nil
  }
}

private protocol ArrayValue {
  static var elementType: Any.Type { get }
}

extension Array: ArrayValue {
  fileprivate static var elementType: Any.Type { Element.self }
}

extension JSONValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .int, .double: true
    default: intValue != nil || doubleValue != nil
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A type whose values some write as JSON of another kind.
protocol LenientlyRead: SendableMetatype {
  /// What a value of another kind means, spelled as the type is; nil if that is not certain.
  static func meant(by json: JSONValue) -> JSONValue?
}

extension LenientlyRead where Self: Numeric {
  /// Text that is a number in JSON, without anything around it.
  static func meant(by json: JSONValue) -> JSONValue? {
    guard case .string(let text) = json, JSONNumber(text) != nil else { return nil }
    return try? JSONValue(json: Array(text.utf8))
  }
}

extension Int: LenientlyRead {}
extension Int8: LenientlyRead {}
extension Int16: LenientlyRead {}
extension Int32: LenientlyRead {}
extension Int64: LenientlyRead {}
extension UInt: LenientlyRead {}
extension UInt8: LenientlyRead {}
extension UInt16: LenientlyRead {}
extension UInt32: LenientlyRead {}
extension UInt64: LenientlyRead {}
extension Int128: LenientlyRead {}
extension UInt128: LenientlyRead {}
extension Float: LenientlyRead {}
extension Double: LenientlyRead {}
extension Decimal: LenientlyRead {}

extension Bool: LenientlyRead {
  /// The words, whatever their case, and the numbers 0 and 1.
  static func meant(by json: JSONValue) -> JSONValue? {
    if let number = json.intValue { return number == 0 ? false : number == 1 ? true : Optional<JSONValue>.none }
    switch json.stringValue?.lowercased() {
    case "true": return true
    case "false": return false
    default: return Optional<JSONValue>.none
    }
  }
}

extension String: LenientlyRead {
  /// Numbers and booleans as they are spelled in JSON.
  static func meant(by json: JSONValue) -> JSONValue? {
    switch json {
    case .bool, .int, .double, .number: .string(json.description)
    default: Optional<JSONValue>.none
    }
  }
}

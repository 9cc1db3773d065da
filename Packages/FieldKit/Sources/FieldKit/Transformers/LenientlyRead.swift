#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A type whose values are sometimes written as JSON of another kind.
protocol LenientlyRead: SendableMetatype {
  /// Returns a value of another kind in the JSON form of the type; nil if the conversion is not certain.
  static func meant(by json: JSONValue) -> JSONValue?
}

extension LenientlyRead where Self: Numeric {
  /// Returns the number that a text spells in JSON, without any other characters.
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
  /// Returns the boolean for the words `true` and `false`, in any case, and for the numbers 0 and 1.
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
  /// Returns the text of a number or boolean, as it is spelled in JSON.
  static func meant(by json: JSONValue) -> JSONValue? {
    switch json {
    case .bool, .int, .double, .number: .string(json.description)
    default: Optional<JSONValue>.none
    }
  }
}

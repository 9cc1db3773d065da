public import FieldKit
import Foundation

// Values in the spelling of a model file.
extension CoreDataSchema.Attribute {
  /// The default value as JSON; nil if there is none, or it is not of the type.
  ///
  /// Dates are texts in ISO 8601, bytes in Base64.
  public var defaultValue: JSONValue? { defaultText.flatMap { json(for: $0) } }

  /// Returns whether a text is a value of the type.
  func canRead(_ text: String) -> Bool {
    switch type {
    case .transformable, .composite, .objectID, .undefined, .other: true
    default: json(for: text) != nil
    }
  }

  /// Returns whether a text is a limit that the rules of the attribute have.
  func canLimit(by text: String) -> Bool {
    switch type {
    case .integer16, .integer32, .integer64, .string: Int(text) != nil
    case .decimal, .double, .float, .date: canRead(text)
    default: Decimal(string: text) != nil
    }
  }

  private func json(for text: String) -> JSONValue? {
    switch type {
    case .integer16, .integer32, .integer64:
      guard let number = Int(text), Self.range(of: type).contains(number) else { return Optional<JSONValue>.none }
      return .int(number)
    case .decimal: return JSONNumber(text).flatMap { _ in try? JSONValue(json: Data(text.utf8)) }
    case .double, .float: return Double(text).flatMap { $0.isFinite ? .double($0) : Optional<JSONValue>.none }
    case .boolean:
      switch text.lowercased() {
      case "yes", "true", "1": return true
      case "no", "false", "0": return false
      default: return Optional<JSONValue>.none
      }
    case .date: return Double(text).flatMap { try? Date(timeIntervalSinceReferenceDate: $0).json }
    case .uuid: return UUID(uuidString: text).map { .string($0.uuidString) }
    case .uri: return URL(string: text).map { .string($0.absoluteString) }
    case .binary: return Data(base64Encoded: text).map { .string($0.base64EncodedString()) }
    case .string: return .string(text)
    case .transformable, .composite, .objectID, .undefined, .other: return Optional<JSONValue>.none
    }
  }

  /// Returns the range of a whole number type.
  static func range(of type: CoreDataSchema.AttributeType) -> ClosedRange<Int> {
    switch type {
    case .integer16: Int(Int16.min)...Int(Int16.max)
    case .integer32: Int(Int32.min)...Int(Int32.max)
    default: Int.min...Int.max
    }
  }
}

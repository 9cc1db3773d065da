#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A transformer that converts one type of value to JSON and back.
///
/// A field can have a transformer of its own (``Field/transform(with:in:)``), and a context one for every field of a
/// type.
///
/// ```swift
/// struct Percent: ValueTransforming {
///   func importValue(
///     _ json: JSONValue, in context: ValueTransformerContext
///   ) throws -> Double? {
///     guard let number = json.doubleValue else {
///       throw ValueTransformError(expected: "a percentage", found: json)
///     }
///     return number / 100
///   }
///   func exportValue(
///     _ value: Double, in context: ValueTransformerContext
///   ) throws -> JSONValue {
///     .double(value * 100)
///   }
/// }
/// let share = Field<Double>().transform(with: Percent())
/// ```
public protocol ValueTransforming<Value>: Sendable {
  /// The type of the value in Swift.
  associatedtype Value

  /// Converts JSON to a value. Not called for `null`, which makes the field's value nil.
  ///
  /// - Returns: nil to set the value to nil. In a list, whose elements can't be nil, that is an error.
  /// - Throws: ``ValueTransformError``, or an error of your own, if the JSON does not hold such a value. Your error
  ///   becomes the ``ValueTransformError/cause`` of one. The field keeps its value.
  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Value?

  /// Converts a value to JSON. Not called for nil.
  ///
  /// - Returns: `null` to write the value as nil: the key is omitted, or has `null`.
  /// - Throws: an error if the value can't be written.
  func exportValue(_ value: Value, in context: ValueTransformerContext) throws -> JSONValue

  /// Whether a value may be read back as another one than was written, such as a date without its time of day.
  ///
  /// A field with such a transformer for all contexts stores the value that would be read back, however it is set. So
  /// the field never has more precision than its record. `false` unless implemented. Other transformers cost nothing
  /// here.
  var losesPrecision: Bool { get }
}

extension ValueTransforming {
  /// Whether a value may be read back as another one than was written: `false`.
  public var losesPrecision: Bool { false }
}

extension ValueTransforming {
  /// Reads a value. Wraps an error of another type in one that contains the value.
  func read(_ json: JSONValue, in context: ValueTransformerContext) throws -> Value? {
    do {
      return try importValue(json, in: context)
    } catch let error as any ErrorWithPath {
      throw error
    } catch {
      throw ValueTransformError(
        expected: "a value its transformer accepts", found: "\(json.shortDescription), which it rejects (\(error))",
        cause: error)
    }
  }

  /// Returns the value that is read back after this one was written; nil if it can't be written.
  func normalized(_ value: Value) -> Value? {
    if let dates = self as? DateTransformer, let date = value as? Date, let normalized = dates.normalized(date) {
      return normalized as? Value
    }
    guard let json = try? exportValue(value, in: .standard), !json.isNull else { return nil }
    return try? importValue(json, in: .standard)
  }

  /// Writes a value. Wraps an error of another type in one that contains the value.
  func write(_ value: Value, in context: ValueTransformerContext) throws -> JSONValue {
    do {
      return try exportValue(value, in: context)
    } catch let error as any ErrorWithPath {
      throw error
    } catch {
      throw ValueTransformError(
        expected: "a value its transformer can write",
        found: "\(String(describing: value).shortenedForMessage(atMost: 40)), which it rejects (\(error))",
        cause: error)
    }
  }
}

/// A transformer that consists of two closures.
struct ClosureTransformer<Value>: ValueTransforming {
  let importing: @Sendable (JSONValue) throws -> Value?
  let exporting: @Sendable (Value) throws -> JSONValue?

  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Value? { try importing(json) }
  func exportValue(_ value: Value, in context: ValueTransformerContext) throws -> JSONValue {
    try exporting(value) ?? .null
  }
}

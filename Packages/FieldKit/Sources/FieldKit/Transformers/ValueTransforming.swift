#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Turns one type of value into JSON and back.
///
/// A field can have a transformer of its own (``Field/transform(with:in:)``), and a context one for every field of a type.
///
/// ```swift
/// struct Percent: ValueTransforming {
///   func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Double? {
///     guard let number = json.doubleValue else { throw ValueTransformError(expected: "a percentage", found: json) }
///     return number / 100
///   }
///   func exportValue(_ value: Double, in context: ValueTransformerContext) throws -> JSONValue { .double(value * 100) }
/// }
/// let share = Field<Double>().transform(with: Percent())
/// ```
public protocol ValueTransforming<Value>: Sendable {
  /// The type of the value in Swift.
  associatedtype Value

  /// Turns JSON into a value. Not called for `null`, which makes the field's value nil.
  ///
  /// - Returns: nil to make the value nil although something was found; in a list, which has no room for nil, that is an
  ///   error.
  /// - Throws: ``ValueTransformError``, or an error of your own, which becomes the ``ValueTransformError/cause`` of one, if
  ///   the JSON does not hold such a value. The field keeps what it has.
  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Value?

  /// Turns a value into JSON. Not called for nil.
  ///
  /// - Returns: `null` to write the value as nil is written: not at all, or as `null`.
  /// - Throws: an error if the value can't be written.
  func exportValue(_ value: Value, in context: ValueTransformerContext) throws -> JSONValue

  /// Whether a value may be read back as another one than was written, such as a date without its time of day.
  ///
  /// A field with such a transformer for all contexts holds what is read back, whichever way a value comes: so it never has
  /// more than its record. `false` unless implemented. Fields whose transformer keeps everything pay nothing.
  var losesPrecision: Bool { get }
}

extension ValueTransforming {
  /// Whether a value may be read back as another one than was written: `false`.
  public var losesPrecision: Bool { false }
}

extension ValueTransforming {
  /// Reads a value; an error of any type comes with what was found.
  func take(_ json: JSONValue, in context: ValueTransformerContext) throws -> Value? {
    do {
      return try importValue(json, in: context)
    } catch let error as any ErrorWithPath {
      throw error
    } catch {
      throw ValueTransformError(
        expected: "a value its transformer takes", found: "one it refuses (\(error)), namely \(json.shortDescription)",
        cause: error)
    }
  }

  /// The value that is read back after this one was written; nil if it can't be written.
  func normalized(_ value: Value) -> Value? {
    if let dates = self as? DateTransformer, let date = value as? Date, let normalized = dates.normalized(date) {
      return normalized as? Value
    }
    guard let json = try? exportValue(value, in: .standard), !json.isNull else { return nil }
    return try? importValue(json, in: .standard)
  }

  /// Writes a value; an error of any type comes with what was to be written.
  func give(_ value: Value, in context: ValueTransformerContext) throws -> JSONValue {
    do {
      return try exportValue(value, in: context)
    } catch let error as any ErrorWithPath {
      throw error
    } catch {
      throw ValueTransformError(
        expected: "a value its transformer can write",
        found: "one it refuses (\(error)), namely \(String(describing: value).wordsForMessage(atMost: 40))",
        cause: error)
    }
  }
}

/// A transformer made of two closures.
struct ClosureTransformer<Value>: ValueTransforming {
  let importing: @Sendable (JSONValue) throws -> Value?
  let exporting: @Sendable (Value) throws -> JSONValue?

  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Value? { try importing(json) }
  func exportValue(_ value: Value, in context: ValueTransformerContext) throws -> JSONValue {
    try exporting(value) ?? .null
  }
}

/// Turns one type of value into JSON and back.
///
/// A field can have a transformer of its own (``Field/transform(with:)``), and a context one for every field of a type.
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
  /// - Throws: ``ValueTransformError`` or an error of your own if the JSON does not hold such a value.
  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Value?

  /// Turns a value into JSON.
  ///
  /// - Throws: an error if the value can't be written.
  func exportValue(_ value: Value, in context: ValueTransformerContext) throws -> JSONValue
}

/// A transformer made of two closures.
struct ClosureTransformer<Value>: ValueTransforming {
  let importing: @Sendable (JSONValue) throws -> Value?
  let exporting: @Sendable (Value) throws -> JSONValue

  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Value? { try importing(json) }
  func exportValue(_ value: Value, in context: ValueTransformerContext) throws -> JSONValue { try exporting(value) }
}

/// A value type that converts itself from and to JSON, and so needs no transformer in any field.
///
/// ```swift
/// struct Celsius: JSONConvertible, Equatable {
///   var degrees: Double
///   init(degrees: Double) { self.degrees = degrees }
///   init(json: JSONValue) throws { degrees = try Double(json: json) }
///   var json: JSONValue { get throws { .double(degrees) } }
/// }
/// let temperature = Field<Celsius>()
/// ```
public protocol JSONConvertible: SendableMetatype {
  /// Reads a value.
  ///
  /// - Throws: ``ValueTransformError`` if the JSON does not hold such a value.
  init(json: JSONValue) throws

  /// The value as JSON.
  var json: JSONValue { get throws }
}

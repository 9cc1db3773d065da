/// A value of the wrong type was given to a field whose type is not known at compile time.
///
/// ```swift
/// let age: AnyField = Field<Int>(3, name: "Age")
/// do { try age.set(anyValue: "three") } catch { print(error) }
/// // Field "Age" keeps its value: it takes Int, not String.
/// ```
public struct FieldTypeError: Error, CustomStringConvertible {
  /// The name or key of the field.
  public let field: String?
  /// The type the field takes.
  public let expected: Any.Type
  /// The type of the value that was given.
  public let found: Any.Type

  /// What was wrong, and what was kept.
  public var description: String {
    let subject = field.map { "Field \($0.quotedForMessage)" } ?? "The field"
    return "\(subject) keeps its value: it takes \(expected), not \(found)."
  }
}

/// The reason why an operation on a field, a relation or a path failed. Nothing was changed, unless the message states
/// otherwise.
///
/// ```swift
/// let age: AnyField = Field<Int>(3, name: "Age")
/// do {
///   try age.set(anyValue: "three")
/// } catch let error as FieldError where error.code == .wrongType {
///   print(error)  // Field "Age" keeps its value: it takes Int, not String.
/// }
/// ```
public struct FieldError: Error, CustomStringConvertible {
  /// The kind of an error. More may be added: end a `switch` with `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// Creates a code of your own.
    public init(_ name: String) { description = name }

    /// The model has no such field or relation, or there is none at the path.
    public static let notFound = Code("notFound")
    /// The value or the model is of another type than the field takes.
    public static let wrongType = Code("wrongType")
    /// The relation references one model and was used as a list, or the reverse.
    public static let wrongCardinality = Code("wrongCardinality")
    /// The field has no key.
    public static let noKey = Code("noKey")
    /// Two fields of a model have the same key.
    public static let duplicateKey = Code("duplicateKey")
    /// The field belongs to another object already.
    public static let hasOwner = Code("hasOwner")
  }

  /// The kind of the error.
  public let code: Code
  /// The failure, its reason, and what to do.
  public let message: String
  /// The name, the key or the path of the field; nil if it has none.
  public let field: String?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: the failure, its reason, and what to do.
  ///   - field: the name, the key or the path of the field.
  public init(_ code: Code, _ message: String, field: String? = nil) {
    self.code = code
    self.message = message
    self.field = field
  }

  /// The message.
  public var description: String { message }
}

extension AnyField {
  /// Returns the error for a value of a type that the field does not take.
  final func wrongType(_ found: Any.Type) -> FieldError {
    FieldError(.wrongType, "\(subject) keeps its value: it takes \(valueType), not \(found).", field: name ?? key)
  }

  /// The error for a field that has no key and so can't be in a dictionary.
  final var noKey: FieldError {
    FieldError(
      .noKey,
      "\(subject) has no key, so a dictionary can't hold it: declare it as Field(key: \"…\") or in a model.",
      field: name)
  }

  private var subject: String { (name ?? key).map { "Field \($0.quotedForMessage)" } ?? "The field" }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A field of any value type: what forms, validation and stores need to know of it.
///
/// ```swift
/// let fields: [any FieldProtocol] = [Field<String>(name: "Name"), Field<Int>(name: "Age")]
/// for field in fields { print(field.name ?? "?", field.valueType) }
/// ```
public protocol FieldProtocol: ObservationOwner {
  /// What people call the field, such as the label of a form.
  var name: String? { get }
  /// The key in dictionaries and JSON. A field of a model is called like its property unless it says otherwise.
  var key: String? { get }
  /// The place in a form; fields with small numbers come first.
  var priority: Int? { get }
  /// Whether the value is kept out of errors, messages and descriptions, such as that of a password.
  var isSensitive: Bool { get }
  /// The model or other object the field belongs to. Held weakly.
  var owner: AnyObject? { get }

  /// The type of the value, without the optional.
  var valueType: Any.Type { get }
  /// The value, whatever its type.
  var anyValue: Any? { get }
  /// Sets the value if it has the right type.
  ///
  /// - Throws: ``FieldTypeError`` for a value of another type; the old value stays.
  func set(anyValue: Any?) throws

  /// Reads the value from its place in a dictionary. A missing key leaves the field as it is, `null` makes it nil.
  ///
  /// - Throws: ``FieldKeyError`` for a field without key, ``ValueTransformError`` with its path for a value that does not
  ///   fit. The field keeps its value and its state then.
  func read(from dictionary: AttributeDictionary, in context: ValueTransformerContext) throws
  /// Writes the value to its place in a dictionary. Nothing is written if the field is not loaded, and for nil unless the
  /// context wants `null`.
  ///
  /// - Throws: ``FieldKeyError`` for a field without key, ``ValueTransformError`` with its path for a value that can't be
  ///   written. The dictionary stays as it is then.
  func write(to dictionary: inout AttributeDictionary, in context: ValueTransformerContext) throws

  /// How much of the value is known.
  var loadState: LoadState { get set }
  /// Whether the value changed since it was last loaded or saved.
  var isDirty: Bool { get }
  /// When the value was last set, to a different value or not.
  var updatedAt: Date? { get }
  /// When the value last changed.
  var changedAt: Date? { get }

  /// A field with the same value, states and declaration that is independent of this one.
  func copy() -> any FieldProtocol
  /// Takes the value of another field if that is loaded and newer.
  ///
  /// - Returns: whether the value was taken.
  /// - Throws: ``FieldTypeError`` if the other field has values of another type; nothing is changed.
  @discardableResult func merge(from other: any FieldProtocol) throws -> Bool
  /// Whether the value was set later than that of another field. One that was never set is the oldest.
  func isNewer(than other: any FieldProtocol) -> Bool

  /// Checks every rule and keeps the result.
  @discardableResult func validate() -> ValidationState
  /// Checks the rules unless that was done since the value was last set.
  @discardableResult func validateIfNeeded() -> ValidationState
  /// The result of the last validation.
  var validationState: ValidationState { get }
  /// What the last validation found, with all that is needed to say it in one's own words.
  var violations: [RuleViolation] { get }
  /// Adds a message from elsewhere, such as a server. It goes with the next validation or set.
  func addValidationError(_ message: String)
  /// Adds what was found elsewhere, such as by a server. It goes with the next validation or set.
  func addViolation(_ violation: RuleViolation)
  /// Forgets the result of the last validation.
  func resetValidationState()
}

extension FieldProtocol {
  /// Whether the value keeps all rules; validates if that was not done since the value was last set.
  public var valid: Bool { validateIfNeeded().isValid }
}

/// A value of the wrong type was given to a field whose type is not known at compile time.
///
/// ```swift
/// let age: any FieldProtocol = Field<Int>(3, name: "Age")
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

/// A property of a model that is not optional: it has a default, and a rule that its field has a value.
///
/// ```swift
/// final class Book: Model {
///   @Required(.notBlank, .length(1...200)) var title = "Untitled"
///   @Required var tags: [String] = []
/// }
/// let book = Book()
/// book.title = "Emma"
/// book.$title --> { print($0 ?? "") }   // the field, as with `@Field`
/// ```
///
/// The property returns the default while the field has no value, such as after `null` was read from JSON. Validation
/// then reports that the value is required.
@propertyWrapper
@frozen
public struct Required<Value> {
  // The field comes first: a model finds it at the beginning of the wrapper.
  /// The field of the property: `$title`.
  public let projectedValue: Field<Value>
  @usableFromInline let initial: Value

  /// The value of the field, or the default.
  @inlinable @inline(__always)
  public var wrappedValue: Value {
    get {
      if let value = projectedValue.value { return value }
      return initial
    }
    nonmutating set { projectedValue.value = newValue }
  }

  @inlinable @inline(__always)
  init(_ field: Field<Value>, _ initial: Value, _ rules: [Rule<Value>], _ configure: ((Field<Value>) -> Void)?) {
    projectedValue = field
    self.initial = initial
    field.require(.notNil)
    for rule in rules { field.require(rule) }
    configure?(field)
  }

  /// Creates the field of a property.
  ///
  /// - Parameters:
  ///   - wrappedValue: the default, which is the first value, too.
  ///   - rules: the rules, in the order in which they are checked.
  ///   - name: the name for people.
  ///   - key: the key in dictionaries and JSON; dots reach into nested objects. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the value is kept out of errors, messages and descriptions.
  ///   - configure: completes the declaration, such as with a domain or a transformer.
  @inlinable @inline(__always)
  public init(
    wrappedValue: Value, _ rules: Rule<Value>..., name: String? = nil, key: String? = nil, priority: Int? = nil,
    sensitive: Bool = false, configure: ((Field<Value>) -> Void)? = nil
  ) {
    let field = Field(wrappedValue, name: name, key: key, priority: priority, sensitive: sensitive)
    self.init(field, wrappedValue, rules, configure)
  }

  /// Creates the field of a property whose values are comparable.
  ///
  /// - Parameters:
  ///   - wrappedValue: the default, which is the first value, too.
  ///   - rules: the rules, in the order in which they are checked.
  ///   - name: the name for people.
  ///   - key: the key in dictionaries and JSON; dots reach into nested objects. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the value is kept out of errors, messages and descriptions.
  ///   - configure: completes the declaration, such as with a domain or a transformer.
  @inlinable @inline(__always)
  public init(
    wrappedValue: Value, _ rules: Rule<Value>..., name: String? = nil, key: String? = nil, priority: Int? = nil,
    sensitive: Bool = false, configure: ((Field<Value>) -> Void)? = nil
  ) where Value: Equatable {
    let field = Field(wrappedValue, name: name, key: key, priority: priority, sensitive: sensitive)
    self.init(field, wrappedValue, rules, configure)
  }
}

/// A struct that consists of a field and perhaps more: the storage of a property wrapper.
@_spi(ModelKitInternals)
public protocol FieldWrapper {
  /// The class of the field.
  static var fieldClass: AnyField.Type { get }
  /// The field, which is the first stored property.
  var wrappedField: AnyField { get }
}

@_spi(ModelKitInternals)
extension Required: FieldWrapper {
  /// The class of the field.
  public static var fieldClass: AnyField.Type { Field<Value>.self }
  /// The field.
  public var wrappedField: AnyField { projectedValue }
}

/// The path between the bytes and the value of a field, found once for the property that holds the field.
///
/// A method of a generic class that is called through its superclass runs unspecialised, and looks up the layout of its
/// type at run time. So fields of common types are identified by this number, and cast to their type.
@_spi(ModelKitInternals)
public enum DirectKind: UInt8, Sendable {
  /// A field of one of the common value types.
  case int, string, double, bool, strings, ints
  /// Any other type: the value is read and written as a ``JSONValue``.
  case value
  /// Other models.
  case relation

  /// Creates the kind of the fields that a property of this type holds, relations aside.
  public init(propertyOf type: Any.Type) {
    self =
      switch type {
      case is Field<Int>.Type: .int
      case is Field<String>.Type: .string
      case is Field<Double>.Type: .double
      case is Field<Bool>.Type: .bool
      case is Field<[String]>.Type: .strings
      case is Field<[Int]>.Type: .ints
      default: .value
      }
  }

  /// Returns the kind in a context: `value` if its transformers or its lenient decoding apply.
  public func kind(in context: ValueTransformerContext, isReading: Bool) -> DirectKind {
    if isReading, context.decoding != .strict, self != .relation { return .value }
    let isTransformed =
      switch self {
      case .int: context.transforms(Int.self)
      case .string: context.transforms(String.self)
      case .double: context.transforms(Double.self)
      case .bool: context.transforms(Bool.self)
      case .strings: context.transforms([String].self) || context.transforms(String.self)
      case .ints: context.transforms([Int].self) || context.transforms(Int.self)
      case .value, .relation: false
      }
    return isTransformed ? .value : self
  }
}

// The only casts of a field by its kind. The kind was found from the type of the property that holds the field, so
// nothing else can be there.
extension AnyField {
  @inline(__always) final var asInt: Field<Int> { unsafeDowncast(self, to: Field<Int>.self) }
  @inline(__always) final var asString: Field<String> { unsafeDowncast(self, to: Field<String>.self) }
  @inline(__always) final var asDouble: Field<Double> { unsafeDowncast(self, to: Field<Double>.self) }
  @inline(__always) final var asBool: Field<Bool> { unsafeDowncast(self, to: Field<Bool>.self) }
  @inline(__always) final var asStrings: Field<[String]> { unsafeDowncast(self, to: Field<[String]>.self) }
  @inline(__always) final var asInts: Field<[Int]> { unsafeDowncast(self, to: Field<[Int]>.self) }
}

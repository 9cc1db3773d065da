// Conversions for queries: values from and to JSON, without a change of the field.

@_spi(ModelKitInternals)
extension ValueTransformerContext {
  /// Returns a value as this context writes it, without the transformer of a field.
  ///
  /// - Throws: ``ValueTransformError`` if the type can't be written.
  public func json<Value>(of value: Value) throws -> JSONValue { try exportValue(value) }

  /// Returns the value of JSON in this context, without the transformer of a field; nil for `null`.
  ///
  /// - Throws: ``ValueTransformError`` if the JSON does not hold such a value, or the type can't be read.
  public func value<Value>(of json: JSONValue, as type: Value.Type) throws -> Value? {
    json.isNull ? nil : try importValue(json, as: type)
  }
}

@_spi(ModelKitInternals)
extension Field {
  /// Returns the value that the field would have after reading this JSON.
  ///
  /// - Throws: ``ValueTransformError`` if it can't be read. A lenient context keeps the value of the field instead.
  public func value(readFrom json: JSONValue, in context: ValueTransformerContext) throws -> Content? {
    do {
      return try importedValue(json, in: context)
    } catch {
      if context.decoding == .lenient { return storedValue }
      throw withoutSecrets(error)
    }
  }

  /// Returns a value as the field would write it.
  ///
  /// - Throws: ``ValueTransformError`` if it can't be written.
  public func json(ofValue value: Content, in context: ValueTransformerContext) throws -> JSONValue {
    try exportedValue(value, in: context)
  }

  /// Returns a value as the field would store it. A constant in a query is normalized like a value that is set.
  public func normalized(_ value: Content) -> Content {
    guard case .replaced(let normalized?)? = metadata?.transformer?.normalization?(value) else { return value }
    return normalized
  }

  /// Returns whether values are read and written by the codec of their type, and strictly.
  public func isPlain(in context: ValueTransformerContext) -> Bool {
    context.decoding == .strict && metadata?.transformer?.transformer(in: context) == nil
      && !context.transforms(Content.self) && !transformsElements
  }
}

/// A field that reads and writes a list element by element.
@_spi(ModelKitInternals)
public protocol ListField: AnyField {
  /// A field that reads and writes one element as the list does.
  var elementPrototype: AnyField { get }
  /// Returns whether the list is read and written element by element in a context, and not as a whole.
  func isCodedByElement(in context: ValueTransformerContext) -> Bool
}

@_spi(ModelKitInternals)
extension ArrayField: ListField {
  /// A field with the transformer of the elements.
  public var elementPrototype: AnyField {
    Field<Element>(unset: nil, metadata: elementMetadata, equality: nil)
  }

  /// Returns whether the list is read and written element by element in a context, and not as a whole.
  public func isCodedByElement(in context: ValueTransformerContext) -> Bool {
    if metadata?.transformer?.transformer(in: context) != nil { return false }
    return elementMetadata?.transformer?.transformer(in: context) != nil || !context.transforms([Element].self)
  }
}

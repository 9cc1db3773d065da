/// How one API, file or store spells models: the case of keys, what becomes of nil, and transformers by type.
///
/// ```swift
/// var context = ValueTransformerContext(keyCase: .snake)
/// context.transform(Bool.self, importValue: { $0 == "ON" }, exportValue: { $0 ? "ON" : "OFF" })
/// ```
public struct ValueTransformerContext: Sendable {
  /// The case of keys, applied to every key on reading and writing. Nil: keys as declared.
  public var keyCase: KeyCase?
  /// Whether a value that is nil is written as `null`. Otherwise its key is left out.
  public var explicitNull: Bool
  private var transformers: [ObjectIdentifier: any ValueTransforming] = [:]

  /// Keys as declared, nil left out, values as their types say.
  public static let standard = ValueTransformerContext()

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - keyCase: the case of keys; nil for keys as declared.
  ///   - explicitNull: whether a value that is nil is written as `null`.
  public init(keyCase: KeyCase? = nil, explicitNull: Bool = false) {
    self.keyCase = keyCase
    self.explicitNull = explicitNull
  }

  /// Says how every value of a type is read and written, unless a field says otherwise.
  public mutating func transform<T: ValueTransforming>(_ type: T.Value.Type, with transformer: T) {
    transformers[ObjectIdentifier(type)] = transformer
  }

  /// Says with closures how every value of a type is read and written, unless a field says otherwise.
  ///
  /// - Parameters:
  ///   - type: the type of the values.
  ///   - importValue: turns JSON into a value, or throws.
  ///   - exportValue: turns a value into JSON, or throws.
  public mutating func transform<Value>(
    _ type: Value.Type, importValue: @escaping @Sendable (JSONValue) throws -> Value?,
    exportValue: @escaping @Sendable (Value) throws -> JSONValue
  ) {
    transform(type, with: ClosureTransformer(importing: importValue, exporting: exportValue))
  }

  func importValue<Value>(_ json: JSONValue, as type: Value.Type) throws -> Value? {
    if !transformers.isEmpty, let transformer: any ValueTransforming<Value> = transformer(for: type) {
      return json.isNull ? nil : try transformer.importValue(json, in: self)
    }
    return try ValueCodec<Value>.codec().importing(json)
  }

  func exportValue<Value>(_ value: Value) throws -> JSONValue {
    if !transformers.isEmpty, let transformer: any ValueTransforming<Value> = transformer(for: Value.self) {
      return try transformer.exportValue(value, in: self)
    }
    return try ValueCodec<Value>.codec().exporting(value)
  }

  private func transformer<Value>(for type: Value.Type) -> (any ValueTransforming<Value>)? {
    transformers[ObjectIdentifier(type)] as? any ValueTransforming<Value>
  }
}

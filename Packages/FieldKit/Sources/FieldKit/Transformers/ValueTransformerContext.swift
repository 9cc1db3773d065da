/// How one API, file or store spells models: the case of keys, what becomes of nil, how strictly values are read, and
/// transformers by type.
///
/// ```swift
/// var context = ValueTransformerContext(keyCase: .snake)
/// context.transform(Bool.self, importValue: { $0 == "ON" }, exportValue: { $0 ? "ON" : "OFF" })
/// ```
///
/// How a field is read and written is decided in this order: by the field's transformer for the name of the context
/// (``Field/transform(with:in:)``), by the field's transformer for all contexts, by the context's transformer for the
/// type of the value, and at last by the type itself: ``JSONConvertible``, its raw value, or `Codable`.
public struct ValueTransformerContext: Sendable {
  /// What to do with a value that is not written the way its type is.
  public enum Decoding: Hashable, Sendable, CaseIterable {
    /// It is an error. Numbers may be spelled in any way that loses nothing: `4.0` is an integer, `4` a fraction.
    case strict
    /// It is read where there is no doubt about what it means: text as the number or boolean it spells, numbers and
    /// booleans as text, 0 and 1 as booleans.
    ///
    /// Nothing is cut, rounded to a whole number or left out: `"1.5"` is no integer, and one bad element makes a list an
    /// error that says which. Transformers and ``JSONConvertible`` types of one's own get the JSON as it is.
    ///
    /// A field that is read by itself throws for what is left. A whole model does not: it takes what fits, and keeps what
    /// does not as it is, to give it back when it is written.
    case lenient
  }

  /// What fields call the context that have a transformer for it alone; see ``Field/transform(with:in:)``.
  public var name: String?
  /// The case of keys, applied to every key on reading and writing. Nil: keys as declared.
  public var keyCase: KeyCase?
  /// Whether a value that is nil is written as `null`. Otherwise its key is left out.
  public var explicitNull: Bool
  /// What to do with a value that is not written the way its type is.
  public var decoding: Decoding
  /// Whether a model keeps the values under keys that none of its fields has, and gives them back when it is written in
  /// full. Otherwise they are ignored.
  ///
  /// Such keys are written as they were, whatever the case of keys. Models that met none pay nothing for it.
  public var keepsUnknownKeys: Bool
  /// What knows more of models than their classes say. Where there is such, text that spells a number or a boolean is read
  /// as one, also strictly.
  @_spi(ModelKitInternals) public var preparation: (any OwnerPreparing)?
  private var transformers: [ObjectIdentifier: any ValueTransforming] = [:]

  /// Keys as declared, nil left out, values as their types say, read strictly, unknown keys ignored. It has no name.
  public static let standard = ValueTransformerContext()

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - name: what fields call the context that have a transformer for it alone.
  ///   - keyCase: the case of keys; nil for keys as declared.
  ///   - explicitNull: whether a value that is nil is written as `null`.
  ///   - decoding: what to do with a value that is not written the way its type is.
  ///   - keepsUnknownKeys: whether models keep the values under keys that none of their fields has.
  public init(
    name: String? = nil, keyCase: KeyCase? = nil, explicitNull: Bool = false, decoding: Decoding = .strict,
    keepsUnknownKeys: Bool = false
  ) {
    self.name = name
    self.keyCase = keyCase
    self.explicitNull = explicitNull
    self.decoding = decoding
    self.keepsUnknownKeys = keepsUnknownKeys
  }

  /// Says how every value of a type is read and written, unless a field says otherwise.
  ///
  /// It counts for the elements of lists and dictionaries too, and comes before what the type says of itself.
  public mutating func transform<T: ValueTransforming>(_ type: T.Value.Type, with transformer: T) {
    transformers[ObjectIdentifier(type)] = transformer
  }

  /// Says with closures how every value of a type is read and written, unless a field says otherwise.
  ///
  /// - Parameters:
  ///   - type: the type of the values.
  ///   - importValue: turns JSON into a value, or throws. Nil from it makes the field's value nil.
  ///   - exportValue: turns a value into JSON, or throws. Nil from it is written as nil is.
  public mutating func transform<Value>(
    _ type: Value.Type, importValue: @escaping @Sendable (JSONValue) throws -> Value?,
    exportValue: @escaping @Sendable (Value) throws -> JSONValue?
  ) {
    transform(type, with: ClosureTransformer(importing: importValue, exporting: exportValue))
  }

  /// A key as this context spells it. The parts of a key with dots are spelled each for itself.
  ///
  /// - Complexity: O(*n*) in the length of the key.
  public func key(_ key: String) -> String {
    guard let keyCase else { return key }
    if !key.utf8.contains(UInt8(ascii: ".")) { return keyCase.key(key) }
    return key.split(separator: ".", omittingEmptySubsequences: false).map { keyCase.key(String($0)) }
      .joined(separator: ".")
  }

  // MARK: Values

  func importValue<Value>(_ json: JSONValue, as type: Value.Type) throws -> Value? {
    if let transformer = transformer(for: type) { return json.isNull ? nil : try transformer.take(json, in: self) }
    return try ValueCodec<Value>.codec().importing(json, self)
  }

  func exportValue<Value>(_ value: Value) throws -> JSONValue {
    if let transformer = transformer(for: Value.self) { return try transformer.give(value, in: self) }
    return try ValueCodec<Value>.codec().exporting(value, self)
  }

  /// How each of many values of a type is read: what decides is looked up once.
  func importer<Value>(of type: Value.Type) -> (JSONValue) throws -> Value? {
    if let transformer = transformer(for: type) { return { $0.isNull ? nil : try transformer.take($0, in: self) } }
    let codec = ValueCodec<Value>.codec()
    return { try codec.importing($0, self) }
  }

  /// How each of many values of a type is written.
  func exporter<Value>(of type: Value.Type) -> (Value) throws -> JSONValue {
    if let transformer = transformer(for: type) { return { try transformer.give($0, in: self) } }
    let codec = ValueCodec<Value>.codec()
    return { try codec.exporting($0, self) }
  }

  /// Whether there is no transformer for any type.
  @_spi(ModelKitInternals)
  public var isPlain: Bool { transformers.isEmpty }

  /// Whether there is a transformer for exactly this type.
  func transforms(_ type: Any.Type) -> Bool {
    !transformers.isEmpty && transformers[ObjectIdentifier(type)] != nil
  }

  private func transformer<Value>(for type: Value.Type) -> (any ValueTransforming<Value>)? {
    if transformers.isEmpty { return nil }
    return transformers[ObjectIdentifier(type)] as? any ValueTransforming<Value>
  }
}

/// The format of one API, file or store: the case of keys, the form of nil, the strictness of reading, and transformers
/// by type.
///
/// ```swift
/// var context = ValueTransformerContext(keyCase: .snake)
/// context.transform(
///   Bool.self, importValue: { $0 == "ON" }, exportValue: { $0 ? "ON" : "OFF" })
/// ```
///
/// A value is converted by the first of these that exists:
///
/// 1. the field's transformer for the name of the context, see ``Field/transform(with:in:)``,
/// 2. the field's transformer for all contexts,
/// 3. the context's transformer for the type,
/// 4. the type: ``JSONConvertible``, its raw value, or `Codable`.
public struct ValueTransformerContext: Sendable {
  /// The treatment of a value that is not written in the form of its type.
  public enum Decoding: Hashable, Sendable, CaseIterable {
    /// Such a value is an error. A number may have any notation with the same value: `4.0` is read as an integer, and
    /// `4` as a `Double`.
    case strict
    /// Such a value is converted if its meaning is unambiguous. Text becomes the number or boolean that it spells, a
    /// number or boolean becomes text, and 0 and 1 become booleans.
    ///
    /// Nothing is truncated, rounded or left out: `"1.5"` is not an integer, and one bad element makes the whole list
    /// an error with its index. Transformers and ``JSONConvertible`` types of your own receive the JSON unchanged.
    ///
    /// A field that is read by itself throws for all other values. A whole model does not: it reads the values that
    /// fit. It keeps the others as JSON, and writes them unchanged.
    case lenient
  }

  /// The name of the context, for transformers of fields that apply to it alone; see ``Field/transform(with:in:)``.
  public var name: String?
  /// The case of keys, applied to every key on reading and writing; nil for keys as declared.
  public var keyCase: KeyCase?
  /// Whether a value that is nil is written as `null`. Otherwise its key is left out.
  public var explicitNull: Bool
  /// The treatment of a value that is not written in the form of its type.
  public var decoding: Decoding
  /// Whether a model keeps the values of unknown keys, and writes them again when it is written in full. Otherwise they
  /// are ignored.
  ///
  /// Unknown keys are written unchanged, whatever the case of keys. Models without unknown keys have no cost.
  public var keepsUnknownKeys: Bool
  /// An object that adds declarations to models. If there is one, text that spells a number or a boolean is converted,
  /// even in strict reading.
  @_spi(ModelKitInternals) public var preparation: (any OwnerPreparing)?
  private var transformers: [ObjectIdentifier: any ValueTransforming] = [:]

  /// The default context without a name: keys as declared, nil left out, strict reading, unknown keys ignored.
  public static let standard = ValueTransformerContext()

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - name: the name of the context, for transformers of fields that apply to it alone.
  ///   - keyCase: the case of keys; nil for keys as declared.
  ///   - explicitNull: whether a value that is nil is written as `null`.
  ///   - decoding: the treatment of a value that is not written in the form of its type.
  ///   - keepsUnknownKeys: whether models keep the values of unknown keys.
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

  /// Sets the transformer of every value of a type, unless a field has one of its own.
  ///
  /// It applies to the elements of lists and dictionaries too, and takes precedence over the conversion by the type
  /// itself.
  public mutating func transform<T: ValueTransforming>(_ type: T.Value.Type, with transformer: T) {
    transformers[ObjectIdentifier(type)] = transformer
  }

  /// Sets closures that read and write every value of a type, unless a field has a transformer of its own.
  ///
  /// - Parameters:
  ///   - type: the type of the values.
  ///   - importValue: converts JSON to a value, or throws. A result of nil sets the field's value to nil.
  ///   - exportValue: converts a value to JSON, or throws. A result of nil is written as nil is.
  public mutating func transform<Value>(
    _ type: Value.Type, importValue: @escaping @Sendable (JSONValue) throws -> Value?,
    exportValue: @escaping @Sendable (Value) throws -> JSONValue?
  ) {
    transform(type, with: ClosureTransformer(importing: importValue, exporting: exportValue))
  }

  /// Returns a key in the key case of this context. The parts of a key with dots are converted separately.
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
    if let transformer = transformer(for: type) { return json.isNull ? nil : try transformer.read(json, in: self) }
    return try ValueCodec<Value>.codec().importing(json, self)
  }

  func exportValue<Value>(_ value: Value) throws -> JSONValue {
    if let transformer = transformer(for: Value.self) { return try transformer.write(value, in: self) }
    return try ValueCodec<Value>.codec().exporting(value, self)
  }

  /// Returns a closure that reads values of a type: the transformer is looked up once.
  func importer<Value>(of type: Value.Type) -> (JSONValue) throws -> Value? {
    if let transformer = transformer(for: type) { return { $0.isNull ? nil : try transformer.read($0, in: self) } }
    let codec = ValueCodec<Value>.codec()
    return { try codec.importing($0, self) }
  }

  /// Returns a closure that writes values of a type: the transformer is looked up once.
  func exporter<Value>(of type: Value.Type) -> (Value) throws -> JSONValue {
    if let transformer = transformer(for: type) { return { try transformer.write($0, in: self) } }
    let codec = ValueCodec<Value>.codec()
    return { try codec.exporting($0, self) }
  }

  /// Whether there is no transformer for any type.
  @_spi(ModelKitInternals)
  public var isPlain: Bool { transformers.isEmpty }

  /// Returns whether there is a transformer for exactly this type.
  func transforms(_ type: Any.Type) -> Bool {
    !transformers.isEmpty && transformers[ObjectIdentifier(type)] != nil
  }

  private func transformer<Value>(for type: Value.Type) -> (any ValueTransforming<Value>)? {
    if transformers.isEmpty { return nil }
    return transformers[ObjectIdentifier(type)] as? any ValueTransforming<Value>
  }
}

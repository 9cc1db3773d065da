/// The default conversion of one type, if neither the field nor the context has a transformer.
///
/// A lookup of a conformance at run time costs more than reading the value, so it is done once per type.
final class ValueCodec<Value>: Sendable {
  let importing: @Sendable (JSONValue, ValueTransformerContext) throws -> Value?
  let exporting: @Sendable (Value, ValueTransformerContext) throws -> JSONValue
  /// Whether the type is read and written as a whole, and not member by member through `Codable`.
  let isWhole: Bool

  private init(
    isWhole: Bool = true,
    importing: @escaping @Sendable (JSONValue, ValueTransformerContext) throws -> Value?,
    exporting: @escaping @Sendable (Value, ValueTransformerContext) throws -> JSONValue
  ) {
    self.isWhole = isWhole
    self.importing = importing
    self.exporting = exporting
  }

  static func codec() -> ValueCodec {
    let key = ObjectIdentifier(Value.self)
    if let known = ValueCodecs.known.withLock({ $0[key] }) as? ValueCodec { return known }
    let made = make()
    ValueCodecs.known.withLock { $0[key] = made }
    return made
  }

  private static func make() -> ValueCodec {
    // `SendableMetatype`: a conformance that is isolated to an actor must not be used wherever fields are read.
    if let type = Value.self as? any ContainerOfValues.Type, let codec = container(type) { return codec }
    if let type = Value.self as? any JSONConvertible.Type, let codec = convertible(type) { return codec }
    if let type = Value.self as? any (RawRepresentable & SendableMetatype).Type, let codec = raw(type) { return codec }
    if let type = Value.self as? any (Codable & SendableMetatype).Type, let codec = codable(type) { return codec }
    return oneWay()
  }

  /// Returns the codec of a type that can only be read, only be written, or neither.
  private static func oneWay() -> ValueCodec {
    let expected = "a transformer for \(Value.self), which is neither JSONConvertible nor Codable"
    return ValueCodec(
      isWhole: false,
      importing: { json, context in
        guard let type = Value.self as? any (Decodable & SendableMetatype).Type else {
          throw ValueTransformError(expected: expected, found: json)
        }
        return try read(type, json, context)
      },
      exporting: { value, context in
        guard let type = Value.self as? any (Encodable & SendableMetatype).Type,
          let json = try written(value, as: type, context)
        else { throw ValueTransformError(expected: expected, found: "none") }
        return json
      })
  }

  private static func read<T: Decodable & SendableMetatype>(
    _ type: T.Type, _ json: JSONValue, _ context: ValueTransformerContext
  ) throws -> Value? {
    try JSONValueDecoder.value(type, from: json, in: context) as? Value
  }

  private static func written<T: Encodable & SendableMetatype>(
    _ value: Value, as type: T.Type, _ context: ValueTransformerContext
  ) throws -> JSONValue? {
    try (value as? T).map { try JSONValueEncoder.json(from: $0, in: context) }
  }

  private static func cast<T>(_ codec: ValueCodec<T>) -> ValueCodec? { codec as AnyObject as? ValueCodec }

  private static func container<T: ContainerOfValues>(_ type: T.Type) -> ValueCodec? {
    cast(ValueCodec<T>(importing: { try T.imported($0, in: $1) }, exporting: { try $0.exported(in: $1) }))
  }

  private static func convertible<T: JSONConvertible>(_ type: T.Type) -> ValueCodec? {
    let lenient = type as? any LenientlyRead.Type
    return cast(
      ValueCodec<T>(
        importing: { json, context in
          do {
            return try T(json: json)
          } catch let error as any ErrorWithPath {
            guard context.decoding == .lenient || context.preparation != nil, let meant = lenient?.meant(by: json)
            else { throw error }
            do {
              return try T(json: meant)
            } catch let error as ValueTransformError {
              throw ValueTransformError(expected: error.expected, found: json)
            }
          } catch {
            throw ValueTransformError(expected: "\(T.self) (\(error))", found: json, cause: error)
          }
        },
        exporting: { value, _ in
          do {
            return try value.json
          } catch let error as any ErrorWithPath {
            throw error
          } catch {
            throw ValueTransformError(
              expected: "\(T.self) as JSON (\(error))",
              found: String(describing: value).shortenedForMessage(atMost: 40),
              cause: error)
          }
        }))
  }

  private static func raw<T: RawRepresentable & SendableMetatype>(_ type: T.Type) -> ValueCodec? {
    guard let rawType = T.RawValue.self as? any JSONConvertible.Type else { return nil }
    return rawConvertible(type, rawType)
  }

  private static func rawConvertible<T: RawRepresentable & SendableMetatype, R: JSONConvertible>(
    _ type: T.Type, _ rawType: R.Type
  ) -> ValueCodec? {
    cast(
      ValueCodec<T>(
        importing: { json, context in
          guard let raw = try? ValueCodec<R>.codec().importing(json, context) as? T.RawValue,
            let value = T(rawValue: raw)
          else { throw ValueTransformError(expected: caseList(of: T.self), found: json) }
          return value
        },
        exporting: { value, context in
          guard let raw = value.rawValue as? R else { return .null }
          return try ValueCodec<R>.codec().exporting(raw, context)
        }))
  }

  private static func codable<T: Codable & SendableMetatype>(_ type: T.Type) -> ValueCodec? {
    let unordered = type as? any UnorderedValues.Type
    return cast(
      ValueCodec<T>(
        isWhole: unordered != nil, importing: { try JSONValueDecoder.value(T.self, from: $0, in: $1) },
        exporting: { value, context in
          let json = try JSONValueEncoder.json(from: value, in: context)
          return unordered.map { json.sorted(inGroupsOf: $0.elementLength) } ?? json
        }))
  }
}

private enum ValueCodecs {
  static let known = Lock<[ObjectIdentifier: any AnyObject & Sendable]>([:])
}

/// Returns "one of red, green" for enumerations that can list their cases.
private func caseList<T: RawRepresentable>(of type: T.Type) -> String {
  func list<C: CaseIterable>(_ type: C.Type) -> String {
    "one of " + C.allCases.compactMap { ($0 as? T).map { String(describing: $0.rawValue) } }.joined(separator: ", ")
  }
  if let type = type as? any CaseIterable.Type { return list(type) }
  return "a raw value of \(type)"
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How values of one type are read and written when neither the field nor the context says so.
///
/// The search for a protocol conformance at run time costs more than reading the value, so it is done once per type.
final class ValueCodec<Value>: Sendable {
  let importing: @Sendable (JSONValue) throws -> Value?
  let exporting: @Sendable (Value) throws -> JSONValue

  init(
    importing: @escaping @Sendable (JSONValue) throws -> Value?,
    exporting: @escaping @Sendable (Value) throws -> JSONValue
  ) {
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
    func cast<T>(_ codec: ValueCodec<T>) -> ValueCodec? { codec as AnyObject as? ValueCodec }
    func convertible<T: JSONConvertible>(_ type: T.Type) -> ValueCodec? {
      cast(ValueCodec<T>(importing: { try T(json: $0) }, exporting: { try $0.json }))
    }
    func raw<T: RawRepresentable & SendableMetatype>(_ type: T.Type) -> ValueCodec? {
      guard let rawType = T.RawValue.self as? any JSONConvertible.Type else { return nil }
      return rawConvertible(type, rawType)
    }
    func rawConvertible<T: RawRepresentable & SendableMetatype, R: JSONConvertible>(
      _ type: T.Type, _ rawType: R.Type
    ) -> ValueCodec? {
      cast(
        ValueCodec<T>(
          importing: { json in
            guard let raw = try R(json: json) as? T.RawValue, let value = T(rawValue: raw) else {
              throw ValueTransformError(expected: caseList(of: T.self), found: json)
            }
            return value
          },
          exporting: { value in
            guard let raw = value.rawValue as? R else { return .null }
            return try raw.json
          }))
    }
    func codable<T: Codable & SendableMetatype>(_ type: T.Type) -> ValueCodec? {
      cast(ValueCodec<T>(importing: { try decoded(T.self, from: $0) }, exporting: { try encoded($0) }))
    }

    // `SendableMetatype`: a conformance that is bound to an actor must not be used from wherever fields are read.
    if let type = Value.self as? any JSONConvertible.Type, let codec = convertible(type) { return codec }
    if let type = Value.self as? any (RawRepresentable & SendableMetatype).Type, let codec = raw(type) { return codec }
    if let type = Value.self as? any (Codable & SendableMetatype).Type, let codec = codable(type) { return codec }
    return ValueCodec(
      importing: { json in
        throw ValueTransformError(
          expected: "a transformer for \(Value.self), which is neither JSONConvertible nor Codable",
          found: json)
      },
      exporting: { _ in
        throw ValueTransformError(
          expected: "a transformer for \(Value.self), which is neither JSONConvertible nor Codable",
          found: "none")
      })
  }
}

private enum ValueCodecs {
  static let known = Lock<[ObjectIdentifier: any AnyObject & Sendable]>([:])
}

/// "one of red, green" for enumerations that can list their cases.
private func caseList<T: RawRepresentable>(of type: T.Type) -> String {
  func list<C: CaseIterable>(_ type: C.Type) -> String {
    "one of " + C.allCases.compactMap { ($0 as? T).map { String(describing: $0.rawValue) } }.joined(separator: ", ")
  }
  if let type = type as? any CaseIterable.Type { return list(type) }
  return "a raw value of \(type)"
}

private func decoded<T: Decodable>(_ type: T.Type, from json: JSONValue) throws -> T {
  do {
    return try JSONDecoder().decode([T].self, from: try JSONValue.array([json]).jsonData())[0]
  } catch let error as DecodingError {
    throw ValueTransformError(expected: "\(T.self) (\(error.reason))", found: json)
  }
}

private func encoded<T: Encodable>(_ value: T) throws -> JSONValue {
  let list = try JSONValue(json: try JSONEncoder().encode([value]))
  return list[0] ?? .null
}

extension DecodingError {
  fileprivate var reason: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      let path = context.codingPath.dropFirst().map(\.stringValue).joined(separator: ".")
      return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
    @unknown default: return String(describing: self)
    }
  }
}

/// A decoder of JSON for `Codable` types. Each member is read as by a field of its type: dates as ISO 8601, decimals
/// with all digits, enumerations by raw value. Transformers of the context apply.
///
/// Foundation's decoder has no contexts and reads dates as seconds since 2001.
struct JSONValueDecoder: Decoder {
  let json: JSONValue
  let context: ValueTransformerContext
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Reads a value; an error of any type is thrown with its path and the value found there.
  static func value<T: Decodable>(
    _ type: T.Type, from json: JSONValue, in context: ValueTransformerContext
  ) throws -> T {
    do {
      return try T(from: JSONValueDecoder(json: json, context: context, codingPath: []))
    } catch let error as DecodingError {
      throw error.asValueError(of: T.self, in: json)
    } catch let error as any ErrorWithPath {
      throw error
    } catch {
      throw ValueTransformError(expected: "\(T.self) (\(error))", found: json, cause: error)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = json else { throw mismatch(AttributeDictionary.self, "an object") }
    return KeyedDecodingContainer(ObjectDecoding(members: members, context: context, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = json else { throw mismatch([JSONValue].self, "a list") }
    return ListDecoding(elements: elements, context: context, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    ValueTransformError(expected: expected, found: json).mismatch(type, at: codingPath)
  }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { json.isNull }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    do {
      if context.transforms(type) || ValueCodec<T>.codec().isWhole {
        if let value = try context.importValue(json, as: type) { return value }
        throw ValueTransformError(expected: "a value", found: json)
      }
    } catch let error as ValueTransformError {
      throw error.mismatch(type, at: codingPath)
    }
    return try T(from: self)
  }
}

private struct ObjectDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: AttributeDictionary
  let context: ValueTransformerContext
  let codingPath: [any CodingKey]

  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(for: key).decodeNil() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(for: key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(for: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(for: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = PlainKey(stringValue: "super")
    return JSONValueDecoder(
      json: members[key.stringValue] ?? .null, context: context, codingPath: codingPath + [key])
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(for: key) }

  private func decoder(for key: some CodingKey) throws -> JSONValueDecoder {
    guard let member = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: "There is no \(key.stringValue)."))
    }
    return JSONValueDecoder(json: member, context: context, codingPath: codingPath + [key])
  }
}

private struct ListDecoding: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let context: ValueTransformerContext
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [JSONValue], context: ValueTransformerContext, codingPath: [any CodingKey]) {
    self.elements = elements
    self.context = context
    self.codingPath = codingPath
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }

  mutating func decodeNil() throws -> Bool { try next { $0.decodeNil() ? true : nil } ?? false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try taken { try $0.decode(type) } }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try taken { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try taken { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try taken { $0 } }

  private mutating func taken<T>(_ body: (JSONValueDecoder) throws -> T) throws -> T {
    let key = PlainKey(intValue: currentIndex)
    guard currentIndex < elements.count else {
      throw ValueTransformError(expected: "a value", found: "the end of the list").mismatch(
        T.self, at: codingPath + [key])
    }
    let value = try body(
      JSONValueDecoder(json: elements[currentIndex], context: context, codingPath: codingPath + [key]))
    currentIndex += 1
    return value
  }

  /// Advances past the element only if the result is not nil.
  private mutating func next<T>(_ body: (JSONValueDecoder) throws -> T?) throws -> T? {
    let index = currentIndex
    let value = try taken(body)
    if value == nil { currentIndex = index }
    return value
  }
}

/// A coding key of any string or index.
struct PlainKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

extension ValueTransformError {
  /// Returns the error in the form that decoders throw: types that try one form after another may rely on it.
  fileprivate func mismatch(_ type: Any.Type, at codingPath: [any CodingKey]) -> DecodingError {
    .typeMismatch(
      type, DecodingError.Context(codingPath: codingPath, debugDescription: description, underlyingError: self))
  }

  /// Returns the error with a path through the containers around its value.
  func inside(_ codingPath: [any CodingKey]) -> ValueTransformError {
    codingPath.reversed().reduce(self) { error, key in
      key.intValue.map { error.inElement($0) } ?? error.inMember(key.stringValue)
    }
  }
}

extension DecodingError {
  fileprivate func asValueError(of type: Any.Type, in json: JSONValue) -> ValueTransformError {
    switch self {
    case .keyNotFound(let key, let context):
      return ValueTransformError(expected: "a value", found: "nothing").inside(context.codingPath + [key])
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      if let error = context.underlyingError as? ValueTransformError { return error.inside(context.codingPath) }
      let found = context.codingPath.reduce(json) { json, key in
        (key.intValue.map { json[$0] } ?? json[key.stringValue]) ?? .null
      }
      return ValueTransformError(
        expected: "\(type) (\(context.debugDescription))", found: found, cause: context.underlyingError ?? self
      ).inside(context.codingPath)
    @unknown default: return ValueTransformError(expected: "\(type) (\(self))", found: json, cause: self)
    }
  }
}

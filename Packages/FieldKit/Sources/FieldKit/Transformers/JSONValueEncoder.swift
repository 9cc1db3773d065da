/// An encoder of `Codable` types to JSON. Each member is written as a field of its type would be; see
/// ``JSONValueDecoder``.
struct JSONValueEncoder: Encoder {
  private let node: Node
  private let context: ValueTransformerContext
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Writes a value; an error of any type is thrown with its path.
  static func json<T: Encodable>(from value: T, in context: ValueTransformerContext) throws -> JSONValue {
    let node = Node()
    do {
      try value.encode(to: JSONValueEncoder(node: node, context: context, codingPath: []))
    } catch EncodingError.invalidValue(let found, let place) {
      if let error = place.underlyingError as? ValueTransformError { throw error.inside(place.codingPath) }
      throw ValueTransformError(
        expected: "\(T.self) as JSON (\(place.debugDescription))",
        found: String(describing: found).shortenedForMessage(atMost: 40),
        cause: place.underlyingError
      ).inside(place.codingPath)
    } catch let error as any ErrorWithPath {
      throw error
    } catch {
      throw ValueTransformError(
        expected: "\(T.self) as JSON (\(error))", found: String(describing: value).shortenedForMessage(atMost: 40),
        cause: error)
    }
    return node.json
  }

  fileprivate init(node: Node, context: ValueTransformerContext, codingPath: [any CodingKey]) {
    self.node = node
    self.context = context
    self.codingPath = codingPath
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = node.content {} else { node.content = .object([:]) }
    return KeyedEncodingContainer(ObjectEncoding(node: node, context: context, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .list = node.content {} else { node.content = .list([]) }
    return ListEncoding(node: node, context: context, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer {
  func encodeNil() { node.content = .value(.null) }

  func encode<T: Encodable>(_ value: T) throws {
    do {
      if context.transforms(T.self) || ValueCodec<T>.codec().isWhole {
        node.content = .value(try context.exportValue(value))
        return
      }
    } catch let error as ValueTransformError {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(codingPath: codingPath, debugDescription: error.description, underlyingError: error))
    }
    try value.encode(to: self)
  }
}

/// The encoded part of a value. An object, because nested containers outlive the call that creates them.
private final class Node {
  enum Content {
    case value(JSONValue)
    case list([Node])
    case object([String: Node])
  }

  // A value that encodes nothing at all is null.
  var content = Content.value(.null)

  /// Returns the node of a member, and creates it if there is none.
  func member(_ key: String) -> Node {
    guard case .object(var members) = content else { return Node() }
    if let known = members[key] { return known }
    let member = Node()
    // Released first, so that the members are not copied when they are changed.
    content = .value(.null)
    members[key] = member
    content = .object(members)
    return member
  }

  func appendElement() -> Node {
    let element = Node()
    guard case .list(var elements) = content else { return element }
    content = .value(.null)
    elements.append(element)
    content = .list(elements)
    return element
  }

  var json: JSONValue {
    switch content {
    case .value(let json): json
    case .list(let elements): .array(elements.map(\.json))
    case .object(let members): .object(members.mapValues(\.json))
    }
  }
}

private struct ObjectEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: Node
  let context: ValueTransformerContext
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) { encoder(for: key).encodeNil() }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder(for: key).encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(for: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(for: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(for: PlainKey(stringValue: "super")) }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }

  /// Returns the encoder of a member. A key has one node, so that a container can be requested twice.
  private func encoder(for key: some CodingKey) -> JSONValueEncoder {
    JSONValueEncoder(node: node.member(key.stringValue), context: context, codingPath: codingPath + [key])
  }
}

private struct ListEncoding: UnkeyedEncodingContainer {
  let node: Node
  let context: ValueTransformerContext
  let codingPath: [any CodingKey]

  var count: Int {
    if case .list(let elements) = node.content { elements.count } else { 0 }
  }

  func encodeNil() { element().encodeNil() }

  func encode<T: Encodable>(_ value: T) throws { try element().encode(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    element().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }

  func superEncoder() -> any Encoder { element() }

  private func element() -> JSONValueEncoder {
    let key = PlainKey(intValue: count)
    return JSONValueEncoder(node: node.appendElement(), context: context, codingPath: codingPath + [key])
  }
}

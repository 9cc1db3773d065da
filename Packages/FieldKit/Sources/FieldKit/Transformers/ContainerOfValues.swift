/// A list, dictionary or optional. Its elements are read and written as fields of their type would be, so that the
/// transformers of the context apply inside.
protocol ContainerOfValues: SendableMetatype {
  static func imported(_ json: JSONValue, in context: ValueTransformerContext) throws -> Self
  func exported(in context: ValueTransformerContext) throws -> JSONValue
}

extension Array: ContainerOfValues {
  static func imported(_ json: JSONValue, in context: ValueTransformerContext) throws -> [Element] {
    try context.importList(json, context.importer(of: Element.self))
  }

  func exported(in context: ValueTransformerContext) throws -> JSONValue {
    try context.exportList(self, context.exporter(of: Element.self))
  }
}

extension Dictionary: ContainerOfValues where Key == String {
  static func imported(_ json: JSONValue, in context: ValueTransformerContext) throws -> [String: Value] {
    guard case .object(let members) = json else { throw ValueTransformError(expected: "an object", found: json) }
    let read = context.importer(of: Value.self)
    var values = [String: Value](minimumCapacity: members.count)
    for (key, member) in members {
      do {
        guard let value = try read(member) else { throw ValueTransformError(expected: "a value", found: member) }
        values[key] = value
      } catch let error as any ErrorWithPath {
        throw error.inMember(key)
      }
    }
    return values
  }

  func exported(in context: ValueTransformerContext) throws -> JSONValue {
    let write = context.exporter(of: Value.self)
    var members = AttributeDictionary(minimumCapacity: count)
    for (key, value) in self {
      do { members[key] = try write(value) } catch let error as any ErrorWithPath { throw error.inMember(key) }
    }
    return .object(members)
  }
}

extension Optional: ContainerOfValues {
  static func imported(_ json: JSONValue, in context: ValueTransformerContext) throws -> Wrapped? {
    json.isNull ? nil : try context.importValue(json, as: Wrapped.self)
  }

  func exported(in context: ValueTransformerContext) throws -> JSONValue {
    guard let self else { return .null }
    return try context.exportValue(self)
  }
}

extension ValueTransformerContext {
  /// Reads every element of a list. Throws an error with the index of a bad element; none is ever dropped.
  func importList<Element>(_ json: JSONValue, _ read: (JSONValue) throws -> Element?) throws -> [Element] {
    guard case .array(let elements) = json else { throw ValueTransformError(expected: "a list", found: json) }
    var values: [Element] = []
    values.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do {
        guard let value = try read(element) else { throw ValueTransformError(expected: "a value", found: element) }
        values.append(value)
      } catch let error as any ErrorWithPath {
        throw error.inElement(index)
      }
    }
    return values
  }

  /// Writes every element of a list. Throws an error with the index of an element that can't be written.
  func exportList<Element>(_ values: [Element], _ write: (Element) throws -> JSONValue) throws -> JSONValue {
    var elements: [JSONValue] = []
    elements.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      do { elements.append(try write(value)) } catch let error as any ErrorWithPath { throw error.inElement(index) }
    }
    return .array(elements)
  }
}

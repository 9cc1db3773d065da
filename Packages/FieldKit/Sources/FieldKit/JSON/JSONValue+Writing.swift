#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension JSONValue {
  /// Returns the value as a JSON document in UTF-8.
  ///
  /// Doubles have their shortest spelling that reads back to the same value, and a fraction or an exponent: `1.0`.
  ///
  /// - Parameter options: The format.
  /// - Throws: ``JSONWritingError`` with the path of a number that is infinite or not a number, or of a value that is
  ///   nested too deeply.
  /// - Complexity: O(*n*), where *n* is the length of the document; sorting the keys adds to it.
  public func jsonData(_ options: JSONWritingOptions = .init()) throws(JSONWritingError) -> Data {
    var writer = JSONWriter(options)
    try writer.document(self, sortedKeys: options.sortedKeys)
    return writer.takeData()
  }

  /// Returns the value as a JSON document.
  ///
  /// - Parameter options: The format.
  /// - Throws: ``JSONWritingError`` as ``jsonData(_:)`` does.
  /// - Complexity: O(*n*), where *n* is the length of the document; sorting the keys adds to it.
  public func jsonString(_ options: JSONWritingOptions = .init()) throws(JSONWritingError) -> String {
    var writer = JSONWriter(options)
    try writer.document(self, sortedKeys: options.sortedKeys)
    return writer.takeString()
  }
}

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible {
  /// Compact JSON with sorted keys. Numbers that JSON can't spell appear as `nan` and `inf`.
  public var description: String {
    var writer = JSONWriter(JSONWritingOptions(sortedKeys: true), capacity: 64, allowsNotFinite: true)
    do {
      try writer.value(self, sortedKeys: true)
      return writer.takeString()
    } catch {
      return "(\(error.message))"
    }
  }

  /// The same JSON, so that a printed dictionary of values reads like one: `["name": "Bob"]`.
  public var debugDescription: String { description }
}

extension JSONWriter {
  /// Writes a value with everything inside it.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - sortedKeys: Whether objects are written in the order of their keys.
  /// - Throws: ``JSONWritingError`` without a path; the output is not a valid document then.
  public mutating func value(_ value: JSONValue, sortedKeys: Bool = false) throws(JSONWritingError) {
    // Recursion is in separate functions: that keeps stack frames small in unoptimised builds, too.
    if case .array(let elements) = value {
      try array(elements, sortedKeys)
    } else if case .object(let members) = value {
      if sortedKeys { try sortedObject(members) } else { try object(members) }
    } else {
      try scalar(value)
    }
  }

  private mutating func array(_ elements: [JSONValue], _ sortedKeys: Bool) throws(JSONWritingError) {
    try beginArray()
    for element in elements { try value(element, sortedKeys: sortedKeys) }
    endArray()
  }

  private mutating func object(_ members: [String: JSONValue]) throws(JSONWritingError) {
    try beginObject()
    for (key, value) in members {
      self.key(key)
      try self.value(value)
    }
    endObject()
  }

  private mutating func sortedObject(_ members: [String: JSONValue]) throws(JSONWritingError) {
    try beginObject()
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      self.key(key)
      try self.value(value, sortedKeys: true)
    }
    endObject()
  }

  private mutating func scalar(_ value: JSONValue) throws(JSONWritingError) {
    switch value {
    case .null, .array, .object: null()
    case .bool(let value): bool(value)
    case .int(let value): int(value)
    case .double(let value): try double(value)
    case .number(let value): number(value)
    case .string(let value): string(value)
    }
  }

  /// Writes a whole document, with the path in the error.
  mutating func document(_ value: JSONValue, sortedKeys: Bool) throws(JSONWritingError) {
    do {
      try self.value(value, sortedKeys: sortedKeys)
    } catch {
      var error = error
      error.path = value.pathOfUnwritable(depth: 0) ?? ""
      throw error
    }
  }
}

extension JSONValue {
  /// Returns the path of the first value that can't be written, or nil if all can.
  fileprivate func pathOfUnwritable(depth: Int) -> String? {
    switch self {
    case .double(let value): return value.isFinite ? nil : ""
    case .array(let elements):
      if depth == JSONReadingOptions.maximumTreeDepth { return "" }
      for (index, element) in elements.enumerated() {
        guard let path = element.pathOfUnwritable(depth: depth + 1) else { continue }
        return path.isEmpty || path.hasPrefix("[") ? "[\(index)]\(path)" : "[\(index)].\(path)"
      }
    case .object(let members):
      if depth == JSONReadingOptions.maximumTreeDepth { return "" }
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        guard let path = value.pathOfUnwritable(depth: depth + 1) else { continue }
        return path.isEmpty || path.hasPrefix("[") ? "\(key)\(path)" : "\(key).\(path)"
      }
    default: break
    }
    return nil
  }
}

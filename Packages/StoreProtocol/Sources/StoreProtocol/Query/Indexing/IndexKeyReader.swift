internal import Foundation
@_spi(ModelKitInternals) import ModelCore

/// A reader that creates the index keys of a field's values in records and queries.
final class IndexKeyReader: @unchecked Sendable {
  // Sendable by construction: everything is constant except the field and its model. These belong to this object alone,
  // and only `read` and `readOperand` access them, inside `lock`.
  private enum Quick { case none, integer, number, text, words }

  /// Whether keys are in the order of the values.
  let isOrdered: Bool
  /// Whether different values can have the same key.
  let isHashed: Bool
  /// Whether values are texts.
  let isText: Bool
  private let quick: Quick
  private let lock = Lock(())
  /// The model of the field, retained because the field needs it.
  private let owner: ModelObject?
  private let read: (JSONValue) throws -> IndexKey?
  private let readOperand: (JSONValue) throws -> IndexKey?

  /// - Parameters:
  ///   - field: a field to which no other code has a reference.
  ///   - owner: its model, to which no other code has a reference either.
  ///   - context: the transformers and the spelling of the records.
  ///   - hasWords: whether keys are the words of texts.
  /// - Returns: nil if its values can't be keys.
  init?(_ field: AnyField, of owner: ModelObject?, _ context: ValueTransformerContext, hasWords: Bool = false) {
    if hasWords {
      guard let read = Self.readerOfWords(field, context) else { return nil }
      self.read = read
      readOperand = { _ in nil }
      quick = (field as? Field<String>)?.isPlain(in: context) == true ? .words : .none
      (isOrdered, isHashed, isText) = (false, false, false)
      self.owner = owner
      return
    }
    let order = Self.order(of: field.valueType)
    if order == nil, !(field.valueType is any Hashable.Type) { return nil }
    let isHashed = order == nil
    (self.isHashed, isOrdered) = (isHashed, order ?? false)
    self.owner = owner
    isText = field.valueType == String.self
    func open<Value>(
      _ type: Value.Type
    ) -> (quick: Quick, read: (JSONValue) throws -> IndexKey?, readOperand: (JSONValue) throws -> IndexKey?)? {
      guard let field = field as? Field<Value> else { return nil }
      // The value is unwrapped, because an optional has another hash.
      func key(of value: Value) -> IndexKey? {
        isHashed ? (value as? any Hashable).map { IndexKey(hashing: $0) } : IndexKey.key(of: value)
      }
      return (
        field.isPlain(in: context) ? Self.quick(type) : .none,
        { json in
          guard let value = try field.value(readFrom: json, in: context) else { return .null }
          return key(of: value)
        },
        { json in
          if case .double(let number) = json, type == Double.self { return IndexKey(number) }
          do {
            guard let value = try ValueTransformerContext.standard.value(of: json, as: Value.self) else { return .null }
            return key(of: value)
          } catch {
            // Only the field can write and read this type.
            return try field.value(readFrom: json, in: .standard).flatMap(key(of:))
          }
        }
      )
    }
    guard let made = _openExistential(field.valueType, do: open) else { return nil }
    (quick, read, readOperand) = made
  }

  /// Returns whether keys of a type are in the order of the values; nil if the type has only hashes as keys.
  private static func order(of type: Any.Type) -> Bool? {
    let ordered: [Any.Type] = [
      Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
      UInt64.self, Double.self, String.self, Date.self, Day.self, Decimal.self,
    ]
    if ordered.contains(where: { $0 == type }) { return true }
    if type == Bool.self || type == UUID.self { return false }
    // An enumeration can define another order than that of its raw values.
    guard let type = type as? any (RawRepresentable & CaseIterable).Type else { return nil }
    func raw<Value: RawRepresentable>(_ type: Value.Type) -> Bool { order(of: Value.RawValue.self) != nil }
    return raw(type) ? false : nil
  }

  /// Returns a function that reads the words of a text or of a list of texts; nil for a field of other values.
  private static func readerOfWords(
    _ field: AnyField, _ context: ValueTransformerContext
  ) -> ((JSONValue) throws -> IndexKey?)? {
    func key(of texts: [String]) -> IndexKey { IndexKey(words: TextWords.distinct(in: texts.joined(separator: "\n"))) }
    if let field = field as? Field<String> {
      return { json in key(of: try field.value(readFrom: json, in: context).map { [$0] } ?? []) }
    }
    if let field = field as? Field<[String]> {
      return { json in key(of: try field.value(readFrom: json, in: context) ?? []) }
    }
    // A member that is no text matches no search.
    return field.isUntypedMember ? { json in key(of: json.stringValue.map { [$0] } ?? []) } : nil
  }

  private static func quick(_ type: Any.Type) -> Quick {
    type == Int.self ? .integer : type == String.self ? .text : type == Double.self ? .number : .none
  }

  /// Returns the key of a value in a record; nil if the value can't be read.
  func key(of json: JSONValue) -> IndexKey? {
    switch (json, quick) {
    case (.null, _): .null
    case (.int(let value), .integer): IndexKey(value)
    case (.double(let value), .number): IndexKey(value)
    case (.string(let value), .text): IndexKey(value)
    case (.string(let value), .words): IndexKey(words: TextWords.distinct(in: value))
    default: lock.withLock { _ in try? read(json) }
    }
  }

  /// Returns the key of the next value of a document; nil if the value can't be read.
  @inline(__always)
  func key(at scanner: inout JSONScanner) throws -> IndexKey? {
    let start = scanner
    switch (try scanner.peek(), quick) {
    case (.number, .integer):
      if let value = try scanner.readInt() { return IndexKey(value) }
    case (.number, .number):
      if let value = try scanner.readDouble() { return IndexKey(value) }
    case (.string, .text):
      let raw = try scanner.readRawString()
      return raw.hasEscapes ? IndexKey(raw.string) : IndexKey(raw.bytes)
    case (.string, .words): return IndexKey(words: TextWords.distinct(in: try scanner.readRawString().string))
    default: break
    }
    scanner = start
    return key(of: try scanner.readValue())
  }

  /// Returns the key of a query's operand; nil if it has none.
  func key(ofOperand json: JSONValue) -> IndexKey? {
    switch (json, quick) {
    case (.null, _): .null
    case (.int(let value), .integer): IndexKey(value)
    case (.string(let value), .text): IndexKey(value)
    default: lock.withLock { _ in try? readOperand(json) }
    }
  }
}

@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore

/// The fields of one class that a part of a query uses, with their keys in records. A level without class is an element
/// of a list.
///
/// A level resolves the names of fields once per query.
final class QueryLevel {
  let modelClass: ModelObject.Type?
  let prototype: ModelObject?
  let context: ValueTransformerContext
  private(set) var slots: [QuerySlot] = []
  /// The periods that are keys of groups, and not parts of a stored date.
  private static let periods = ["week", "month", "year"]
  /// The key of the identifier; read when it is first needed.
  private(set) lazy var identifierKey: String? = prototype?.identifierField?.key
  /// The levels of related models, by key.
  var related: [String: QueryLevel] = [:]
  private let storedFields: Set<ObjectIdentifier>?

  /// Creates the level of a model.
  ///
  /// - Parameter isForRecords: whether fields that stores don't keep are rejected.
  init(_ modelClass: ModelObject.Type, _ context: ValueTransformerContext, isForRecords: Bool) {
    self.modelClass = modelClass
    self.context = context
    // The values that a record lacks are those of a model that is read.
    let prototype = context.makeStored(modelClass)
    self.prototype = prototype
    storedFields =
      isForRecords ? Set(prototype.fieldsForDictionaryValue().map { ObjectIdentifier($0) }) : nil
  }

  /// Creates the level of the elements of a list.
  init(elementsAs field: AnyField, _ context: ValueTransformerContext) {
    modelClass = nil
    prototype = nil
    storedFields = nil
    self.context = context
    slots = [QuerySlot(field, key: "", context, index: 0)]
  }

  /// Returns the slot of a member inside the value of a field, or of the field itself if there is only its key.
  ///
  /// - Parameter keys: the key of the field, unless the level is an element of a list, and the keys inside its value.
  /// - Throws: ``ModelStoreError`` with the code `invalid` if there is no such member.
  func slot(_ keys: ArraySlice<String>) throws -> QuerySlot {
    let whole = try slot(modelClass == nil ? "" : keys.first ?? "")
    let inner = Array(modelClass == nil ? keys : keys.dropFirst())
    if inner.isEmpty { return whole }
    if let known = slots.first(where: { $0.key == whole.key && $0.inner == inner }) { return known }
    var field = whole.field
    var name = modelClass.map { "\(whole.key) of \($0.displayName)" } ?? "an element of a list"
    for key in inner {
      switch field.member(key, in: context) {
      case .typed(let member): field = member
      case .untyped: field = Field<UntypedMember>()
      case .missing(let reason):
        let isPeriod = (field.valueType == Day.self || field.valueType == Date.self) && Self.periods.contains(key)
        throw ModelStoreError(
          .invalid,
          "A query can't read \(key.quotedForMessage) inside \(name.shortenedForMessage()): \(reason)."
            + (isPeriod ? " Compare \(whole.key) with the first and the last day of the \(key)." : ""))
      }
      name = "\(key) of \(name)"
    }
    let slot = QuerySlot(field, inside: whole, inner, index: slots.count)
    slots.append(slot)
    return slot
  }

  /// Returns whether records have the field. It is true for live models and for unknown keys.
  func keeps(_ key: String) -> Bool {
    guard let storedFields, let field = prototype?.field(declaredAs: key) else { return true }
    return storedFields.contains(ObjectIdentifier(field))
  }

  /// Returns the slot of a field, which is created if it is new.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if there is no such field, `unsupported` if stores don't
  ///   keep it.
  func slot(_ key: String) throws -> QuerySlot {
    if let known = slots.first(where: { $0.key == key && $0.inner.isEmpty }) { return known }
    guard let modelClass, let field = prototype?.field(declaredAs: key) else {
      let owner = modelClass?.displayName ?? "An element of a list"
      throw ModelStoreError(.invalid, "\(owner) has no field \"\(key)\" that a query could read.")
    }
    if let storedFields, !storedFields.contains(ObjectIdentifier(field)) {
      if let relation = field as? any RelationField {
        throw ModelStoreError(
          .unsupported,
          """
          A store can't read \(key.quotedForMessage) of \(modelClass.displayName): only the records of \
          \(relation.relatedClass.displayName) store these links. List models of \
          \(relation.relatedClass.displayName) by the inverse, and use their references.
          """)
      }
      throw ModelStoreError(
        .unsupported,
        """
        A store can't read \(key.quotedForMessage) of \(modelClass.displayName): fieldsForDictionaryValue() omits it, so it is not stored. \
        Use a field that is.
        """)
    }
    let key = field.key ?? key
    if let known = slots.first(where: { $0.key == key && $0.inner.isEmpty }) { return known }
    let slot = QuerySlot(field, key: key, context, index: slots.count)
    slots.append(slot)
    return slot
  }
}

/// One field in the records of a level.
final class QuerySlot {
  /// The field that reads values: that of the prototype, or one of the type of a member inside its values.
  let field: AnyField
  /// The field of the prototype.
  let owner: AnyField
  let key: String
  /// The keys of a member inside the value of the field; empty for the value itself.
  let inner: [String]
  /// The index in the slots of the level.
  let index: Int
  /// The key as records spell it.
  let spelledKey: String
  /// The parts of the spelled key, which dots separate.
  let parts: [String]
  /// The value for a record without the key.
  let missing: JSONValue
  /// The bytes of the spelled key, which are freed with the slot.
  let quoted: UnsafeBufferPointer<UInt8>

  init(_ field: AnyField, key: String, _ context: ValueTransformerContext, index: Int) {
    self.field = field
    owner = field
    inner = []
    self.key = key
    self.index = index
    spelledKey = context.key(key)
    parts = spelledKey.split(separator: ".").map(String.init)
    missing = (try? field.exported(by: FieldWriter(context: context))) ?? .null
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: spelledKey.utf8.count)
    _ = bytes.initialize(from: spelledKey.utf8)
    quoted = UnsafeBufferPointer(bytes)
  }

  /// Creates the slot of a member inside the value of a field.
  init(_ field: AnyField, inside whole: QuerySlot, _ inner: [String], index: Int) {
    self.field = field
    owner = whole.owner
    self.inner = inner
    self.index = index
    (key, spelledKey, parts) = (whole.key, whole.spelledKey, whole.parts)
    missing = whole.missing.member(at: inner)
    // Only the slots of fields are searched by the bytes of their key.
    quoted = UnsafeBufferPointer(start: nil, count: 0)
  }

  deinit { quoted.deallocate() }

  /// Whether the value is inside another one, so that its key is not one of the record.
  var isNested: Bool { parts.count > 1 || !inner.isEmpty }

  /// Returns the value in a record; nil if the record lacks the key.
  func value(in record: AttributeDictionary) throws -> JSONValue? {
    let whole = parts.count > 1 ? try record.value(atNestedKey: spelledKey) : record[spelledKey]
    return inner.isEmpty ? whole : whole?.member(at: inner)
  }
}

extension JSONValue {
  /// Returns the member at keys inside this value; `null` if there is none.
  func member(at keys: [String]) -> JSONValue {
    var value = self
    for key in keys {
      guard case .object(let members) = value, let member = members[key] else { return .null }
      value = member
    }
    return value
  }
}

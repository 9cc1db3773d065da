@_spi(ModelKitInternals) import FieldKit
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
    let prototype = context.prepared(modelClass.init())
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

  /// Returns whether records have the field. It is true for live models and for unknown keys.
  func keeps(_ key: String) -> Bool {
    guard let storedFields, let field = prototype?.field(declaredAs: key) else { return true }
    return storedFields.contains(ObjectIdentifier(field))
  }

  /// Returns the slot of a field, which is created if it is new.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if there is no such field, `unsupported` if stores don't keep it.
  func slot(_ key: String) throws -> QuerySlot {
    if let known = slots.first(where: { $0.key == key }) { return known }
    guard let modelClass, let field = prototype?.field(declaredAs: key) else {
      let owner = modelClass?.displayName ?? "An element of a list"
      throw ModelStoreError(.invalid, "\(owner) has no field \"\(key)\" that a query could read.")
    }
    if let storedFields, !storedFields.contains(ObjectIdentifier(field)) {
      if let relation = field as? any RelationField {
        throw ModelStoreError(
          .unsupported,
          """
          A store can't read \(key.quotedForMessage) of \(modelClass.displayName): only \(relation.relatedClass.displayName) keeps these links. List \
          models of \(relation.relatedClass.displayName) by the inverse, and continue with those.
          """)
      }
      throw ModelStoreError(
        .unsupported,
        """
        A store can't read \(key.quotedForMessage) of \(modelClass.displayName): fieldsForDictionaryValue() leaves it out, so it is not kept. \
        Use a field that is.
        """)
    }
    let key = field.key ?? key
    if let known = slots.first(where: { $0.key == key }) { return known }
    let slot = QuerySlot(field, key: key, context, index: slots.count)
    slots.append(slot)
    return slot
  }
}

/// One field in the records of a level.
final class QuerySlot {
  /// The field of the prototype, which reads values.
  let field: AnyField
  let key: String
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
    self.key = key
    self.index = index
    spelledKey = context.key(key)
    parts = spelledKey.split(separator: ".").map(String.init)
    missing = (try? field.exported(by: FieldWriter(context: context))) ?? .null
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: spelledKey.utf8.count)
    _ = bytes.initialize(from: spelledKey.utf8)
    quoted = UnsafeBufferPointer(bytes)
  }

  deinit { quoted.deallocate() }

  var isNested: Bool { parts.count > 1 }
}

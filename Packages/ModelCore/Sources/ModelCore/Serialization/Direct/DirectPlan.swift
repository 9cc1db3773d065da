@_spi(ModelKitInternals) import FieldKit

/// A plan for converting between bytes and the fields of one class directly: its keys in one spelling, as bytes.
///
/// Some classes have no plan and need the tree path:
///
/// - those with keys with dots, keys that two fields share, variable or optional fields, relations with transformers,
///   or more than 64 fields;
/// - those that take part in reading or writing, such as a `ReadingHook`;
/// - those whose identifier is not a property.
final class DirectPlan: Sendable {
  struct Member: Sendable {
    /// The declared key; nil if it is the name of the property.
    let declaredKey: String?
    let key: String
    /// The JSON spelling of the key, including quotation marks.
    let quotedKey: KeyBytes
    let kind: DirectKind

    /// The spelling of the key without quotation marks.
    var plainKey: UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(rebasing: quotedKey.buffer[1..<quotedKey.buffer.count - 1])
    }
  }

  /// The properties of a context that determine the spelling of keys.
  struct Key: Hashable, Sendable {
    let keyCase: KeyCase?
    let preparation: ObjectIdentifier?
  }

  /// Bytes that are freed with their plan.
  ///
  /// Unchecked, because the bytes are never written after their initialization.
  struct KeyBytes: @unchecked Sendable {
    let buffer: UnsafeBufferPointer<UInt8>

    init(_ bytes: [UInt8]) {
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
      _ = copy.initialize(from: bytes)
      buffer = UnsafeBufferPointer(copy)
    }
  }

  /// A key as it is compared with those of a document.
  struct KeyHead {
    let head: UInt64
    let count: Int
  }

  /// The members, one per field, in the order of the layout.
  let members: [Member]
  /// The keys of the members.
  let heads: [KeyHead]
  /// The indices of the fields in the order of their keys.
  let sorted: [Int]
  /// The index of the field with a key.
  let indices: [String: Int]
  /// Whether the keys of a document can be compared byte by byte.
  let hasPlainKeys: Bool
  /// Whether relations have the same order by key as by declaration.
  let hasRelationsInOrder: Bool
  let relationCount: Int
  /// Whether the class overrides `fieldsForDictionaryValue()`.
  let choosesFields: Bool
  /// The relations that their inverse stores, which are read but not written.
  let relationsStoredByInverse: UInt64
  /// Whether the class overrides `instanceClass(for:)`.
  let choosesInstanceClass: Bool
  /// False if the class has no plan.
  let isUsable: Bool
  /// The preparation of the models that the plan is for. Once it is released, another one may have its address.
  private weak let preparation: (any OwnerPreparing)?

  /// Returns the plan of a class, created from one of its models, or nil if it has none.
  static func plan(for model: ModelObject, keyCase: KeyCase?, context: ValueTransformerContext) -> DirectPlan? {
    let layout = model.layout
    let preparation = model.isPrepared ? context.preparation.map(ObjectIdentifier.init) : nil
    let key = Key(keyCase: keyCase, preparation: preparation)
    if let known = layout.directPlans.withLock({ $0[key] }),
      preparation == nil || known.preparation === context.preparation
    {
      return known.isUsable ? known : nil
    }
    let plan = DirectPlan(model, layout, context)
    layout.directPlans.withLock { $0[key] = plan }
    return plan.isUsable ? plan : nil
  }

  private static func hasTransformers(_ field: AnyField) -> Bool {
    field.isRelation && (field as? any DirectRelation)?.hasTransformers != false
  }

  private init(_ model: ModelObject, _ layout: ModelLayout, _ context: ValueTransformerContext) {
    preparation = model.isPrepared ? context.preparation : nil
    choosesFields = OverrideProbe.choosesFields(type(of: model))
    relationsStoredByInverse = model.relationsStoredByInverse
    choosesInstanceClass = OverrideProbe.choosesInstanceClass(type(of: model))
    var members: [Member] = []
    // The tree path finds a model whose identifier is in none of its properties.
    let identifiesByProperty = layout.identifierIndex != nil || model.identifierField == nil
    var isUsable =
      layout.isProven && layout.slots.count <= 64 && !layout.readsOrWritesByItself && identifiesByProperty
    for (index, slot) in layout.slots.enumerated() where isUsable {
      guard let field = layout.field(at: index, of: model), !slot.isVariable, !slot.isOptional,
        field.isRelation == (slot.kind == .relation), !Self.hasTransformers(field)
      else {
        isUsable = false
        break
      }
      let key = context.key(field.declaredKey ?? slot.propertyName)
      members.append(
        Member(
          declaredKey: field.declaredKey, key: key, quotedKey: KeyBytes(JSONWriter.quoted(key)), kind: slot.kind))
    }
    indices = Dictionary(members.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    isUsable =
      isUsable && indices.count == members.count && !members.contains { $0.key.utf8.contains(UInt8(ascii: ".")) }
    self.isUsable = isUsable
    self.members = members
    heads = members.map { KeyHead(head: JSONRawString.head(of: $0.plainKey), count: $0.plainKey.count) }
    let sorted = members.indices.sorted { members[$0].key < members[$1].key }
    self.sorted = sorted
    let relations = sorted.filter { members[$0].kind == .relation }
    hasRelationsInOrder = relations == relations.sorted()
    relationCount = relations.count
    hasPlainKeys = members.allSatisfy { member in
      member.key.utf8.allSatisfy { $0 < 0x80 } && member.quotedKey.buffer.count == member.key.utf8.count + 2
    }
  }

  /// Returns whether a key of a document is spelled like that of a member. It has no escapes.
  @inline(__always)
  func has(_ key: JSONRawString, _ head: UInt64, at index: Int) -> Bool {
    heads.withUnsafeBufferPointer { heads in
      guard heads[index].head == head, heads[index].count == key.bytes.count else { return false }
      return heads[index].count <= 8 || key.equals(members[index].plainKey)
    }
  }

  deinit {
    for member in members { member.quotedKey.buffer.deallocate() }
  }
}

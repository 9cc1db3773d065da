@_spi(ModelKitInternals) import FieldKit

/// How the models of one class go straight between bytes and fields: their keys in one spelling, as bytes.
///
/// There is none for a class with something that needs a tree: keys with dots, keys that two fields share, fields in
/// variables and optional fields, relations with transformers, more than 64 fields.
final class DirectPlan: Sendable {
  struct Member: Sendable {
    /// The key at the declaration; nil if it is the name of the property.
    let declaredKey: String?
    let key: String
    /// The JSON spelling of the key, quotation marks included.
    let quotedKey: KeyBytes
    let kind: DirectKind
  }

  /// What decides how the models of a class are spelled.
  struct Key: Hashable, Sendable {
    let keyCase: KeyCase?
    let preparation: ObjectIdentifier?
  }

  /// Bytes that are never freed, as plans are not.
  ///
  /// Unchecked, because nobody writes to them once they are made.
  struct KeyBytes: @unchecked Sendable {
    let buffer: UnsafeBufferPointer<UInt8>

    init(_ bytes: [UInt8]) {
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
      _ = copy.initialize(from: bytes)
      buffer = UnsafeBufferPointer(copy)
    }
  }

  /// One for each field, in the order of the layout.
  let members: [Member]
  /// The fields in the order of their keys.
  let sorted: [Int]
  /// The field of a key.
  let indices: [String: Int]
  /// Whether the keys of a document can be compared byte by byte.
  let hasPlainKeys: Bool
  /// Whether relations come in the same order by key as by declaration.
  let hasRelationsInOrder: Bool
  let relationCount: Int
  /// Whether the class has a say in which fields are written.
  let choosesFields: Bool
  /// Whether the class has a say in which class is made from a dictionary.
  let choosesInstanceClass: Bool
  /// False for the plan that says there is none.
  let isUsable: Bool

  /// The plan of a class as one of its models shows it, or nil if there is none.
  static func plan(for model: ModelObject, keyCase: KeyCase?, context: ValueTransformerContext) -> DirectPlan? {
    let layout = model.layout
    let preparation = model.isPrepared ? context.preparation.map(ObjectIdentifier.init) : nil
    let key = Key(keyCase: keyCase, preparation: preparation)
    if let known = layout.directPlans.withLock({ $0[key] }) { return known.isUsable ? known : nil }
    let plan = DirectPlan(model, layout, context)
    layout.directPlans.withLock { $0[key] = plan }
    return plan.isUsable ? plan : nil
  }

  private static func hasTransformers(_ field: AnyField) -> Bool {
    field.isRelation && (field as? any DirectRelation)?.hasTransformers != false
  }

  private init(_ model: ModelObject, _ layout: ModelLayout, _ context: ValueTransformerContext) {
    choosesFields = OverrideProbe.choosesFields(type(of: model))
    choosesInstanceClass = OverrideProbe.choosesInstanceClass(type(of: model))
    var members: [Member] = []
    var isUsable = layout.isProven && layout.slots.count <= 64
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
    let sorted = members.indices.sorted { members[$0].key < members[$1].key }
    self.sorted = sorted
    let relations = sorted.filter { members[$0].kind == .relation }
    hasRelationsInOrder = relations == relations.sorted()
    relationCount = relations.count
    hasPlainKeys = members.allSatisfy { member in
      member.key.utf8.allSatisfy { $0 < 0x80 } && member.quotedKey.buffer.count == member.key.utf8.count + 2
    }
  }
}

@_spi(ModelKitInternals) import FieldKit

/// A reader that converts bytes directly into models of one class, in one context.
final class DirectClassReader {
  let modelClass: any Model.Type
  private let context: ValueTransformerContext
  /// Nil if models of this class need the tree path.
  private(set) var plan: DirectPlan?
  private(set) var kinds: [DirectKind] = []
  let layout: ModelLayout
  /// The index of the next expected field after each field, and first the one at the start of an object; negative if
  /// there is none. Unchecked, because each access is one load or store.
  @exclusivity(unchecked) private var following: [Int]
  /// The relations, once they were read.
  var related: [Link?]

  /// The properties of a relation that all models of the class share.
  struct Link {
    let reader: DirectClassReader
    let referencesMany: Bool
    let isForeignKey: Bool
    /// The number of models in the last list.
    var lastCount = 0
    /// The inverse in the related class, once it was searched.
    var inverse: ContainingRecord.Inverse?
  }
  /// A model that was read into and not used, to be reused. It has fields that are set already.
  private var spare: ModelObject?
  /// Whether the class is used in the document that is being read.
  var isInUse = false
  /// Whether the last object of this class was that of an existing model.
  var expectsKnown = false
  /// Whether it had the same values as the model.
  var expectsUnchanged = false
  let typeKey: ModelTypeKey

  init(_ modelClass: any Model.Type, _ context: ValueTransformerContext) {
    self.modelClass = modelClass
    self.context = context
    let sample: ModelObject = context.prepared(modelClass.init())
    let hasInitialEdits = sample.acceptInitialValues()
    layout = sample.layout
    typeKey = sample.typeKey
    following = Array(repeating: -1, count: layout.slots.count + 1)
    related = Array(repeating: nil, count: layout.slots.count)
    if !OverrideProbe.choosesInstanceClass(modelClass), !sample.hasDynamicFields {
      plan = DirectPlan.plan(for: sample, keyCase: context.keyCase, context: context)
    }
    guard let plan else { return }
    kinds = plan.members.enumerated().map { index, member in
      let kind = member.kind.kind(in: context, isReading: true)
      let isReadable = layout.field(at: index, of: sample)?
        .isReadableDirectly(as: kind, declaredKey: member.declaredKey)
      return isReadable == true ? kind : .value
    }
    // A model of a document keeps the values that its class sets in `init` as edits.
    if !hasInitialEdits, fits(sample) { spare = sample }
    isSpareFresh = true
  }

  /// Releases the state of one document: related readers and a reusable model.
  func rest() {
    for index in related.indices where related[index] != nil { related[index] = nil }
    spare = nil
    expectsKnown = false
    isInUse = false
  }

  // MARK: Instances

  private var isSpareFresh = false

  /// Returns a model to read into, and whether it is new.
  ///
  /// - Parameter isStored: whether it is read from a store.
  func instance(isStored: Bool) -> (model: ModelObject, isFresh: Bool)? {
    if let spare, isSpareFresh || expectsKnown {
      self.spare = nil
      return (spare, isSpareFresh)
    }
    return freshInstance(isStored: isStored).map { ($0, true) }
  }

  /// Returns a new model, or nil if models of this class need the tree path.
  func freshInstance(isStored: Bool) -> ModelObject? {
    let model: ModelObject = context.prepared(modelClass.init())
    if fits(model) { return model }
    if isStored {
      model.acceptInitialValues()
      if fits(model) { return model }
    }
    plan = nil
    return nil
  }

  /// Keeps a model that was not used, to be reused.
  func recycle(_ model: ModelObject) {
    guard spare == nil else { return }
    spare = model
    isSpareFresh = false
  }

  /// Returns whether reading into a model runs no code outside the reader.
  private func fits(_ model: ModelObject) -> Bool {
    guard let plan else { return false }
    for index in plan.members.indices {
      let fits = layout.reference(at: index, of: model)?
        ._withUnsafeGuaranteedRef {
          $0.isReadableDirectly(as: kinds[index], declaredKey: plan.members[index].declaredKey)
        }
      if fits != true { return false }
    }
    return true
  }

  /// Returns the properties of a relation.
  func link(at index: Int, of model: ModelObject, _ reading: DirectReading) throws -> Link {
    if let known = related[index] { return known }
    guard let relation = layout.field(at: index, of: model) as? any DirectRelation else { throw NeedsTree() }
    let link = Link(
      reader: reading.reader(of: relation.relatedType), referencesMany: relation.referencesMany,
      isForeignKey: relation.isForeignKey)
    related[index] = link
    return link
  }

  // MARK: Keys

  /// Reads the next key of an object.
  ///
  /// - Parameter last: the index of the field before, or -1.
  /// - Returns: the index of the field with the key; -1 for an unknown key, nil at the end of the object.
  @inline(__always)
  func nextField(_ scanner: inout JSONScanner, after last: Int, _ plan: DirectPlan) throws(JSONSyntaxError) -> Int? {
    guard let key = try scanner.nextKey() else { return nil }
    let expected = following[last + 1]
    let isPlain = plan.hasPlainKeys && !key.hasEscapes
    let head = key.head
    if isPlain, expected >= 0, plan.has(key, head, at: expected) { return expected }
    guard let found = index(of: key, head, isPlain, plan) else { return -1 }
    following[last + 1] = found
    return found
  }

  private func index(of key: JSONRawString, _ head: UInt64, _ isPlain: Bool, _ plan: DirectPlan) -> Int? {
    if isPlain {
      for index in plan.heads.indices where plan.has(key, head, at: index) { return index }
      if !key.bytes.contains(where: { $0 >= 0x80 }) { return nil }
    }
    // Strings can be equal without having equal bytes.
    return plan.indices[key.string]
  }
}

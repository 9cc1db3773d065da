@_spi(ModelKitInternals) import FieldKit

/// How a reader takes the models of one class straight from bytes in its context.
final class DirectClassReader {
  let modelClass: any Model.Type
  private let context: ValueTransformerContext
  /// Nil if models of this class need a tree.
  private(set) var plan: DirectPlan?
  private(set) var kinds: [DirectKind] = []
  let layout: ModelLayout
  /// For each field, and in the first place for the start of an object, which field comes next; none is a negative number.
  private var following: [Int]
  /// What is known of relations, once they were met.
  var related: [Link?]

  /// What is the same in all models for one relation of their class.
  struct Link {
    let reader: DirectClassReader
    let leadsToMany: Bool
    let isForeignKey: Bool
    /// How many models there were in the last list.
    var lastCount = 0
  }
  /// A model that nobody got, to be read into again. It has fields set already.
  private var spare: ModelObject?
  /// Whether the document that is read has met the class.
  var isInUse = false
  /// Whether the last object of this class was one that exists already.
  var expectsKnown = false
  /// Whether it said what that has already.
  var expectsUnchanged = false
  let typeKey: ModelTypeKey

  init(_ modelClass: any Model.Type, _ context: ValueTransformerContext) {
    self.modelClass = modelClass
    self.context = context
    let sample: ModelObject = context.prepared(modelClass.init())
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
    if fits(sample) { spare = sample }
    isSpareFresh = true
  }

  /// Forgets what belongs to one document: readers that know each other, and a model.
  func rest() {
    for index in related.indices where related[index] != nil { related[index] = nil }
    spare = nil
    expectsKnown = false
    isInUse = false
  }

  // MARK: Instances

  private var isSpareFresh = false

  /// A model to read into, and whether it is as it was made.
  func instance() -> (model: ModelObject, isFresh: Bool)? {
    if let spare, isSpareFresh || expectsKnown {
      self.spare = nil
      return (spare, isSpareFresh)
    }
    return freshInstance().map { ($0, true) }
  }

  /// A model as its class makes it, or nil if models of this class need a tree.
  func freshInstance() -> ModelObject? {
    let model: ModelObject = context.prepared(modelClass.init())
    if fits(model) { return model }
    plan = nil
    return nil
  }

  /// Takes back a model that nobody got.
  func recycle(_ model: ModelObject) {
    guard spare == nil else { return }
    spare = model
    isSpareFresh = false
  }

  /// Whether reading into a model runs nobody's code.
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

  /// What is known of a relation.
  func link(at index: Int, of model: ModelObject, _ reading: DirectReading) throws -> Link {
    if let known = related[index] { return known }
    guard let relation = layout.field(at: index, of: model) as? any DirectRelation else { throw NeedsTree() }
    let link = Link(
      reader: reading.reader(of: relation.relatedType), leadsToMany: relation.leadsToMany,
      isForeignKey: relation.isForeignKey)
    related[index] = link
    return link
  }

  // MARK: Keys

  /// Reads the next key of an object.
  ///
  /// - Parameter last: the field before, or -1.
  /// - Returns: the field of the key, -1 for a key that belongs to none, nil at the end of the object.
  @inline(__always)
  func nextField(_ scanner: inout JSONScanner, after last: Int, _ plan: DirectPlan) throws(JSONSyntaxError) -> Int? {
    let expected = following[last + 1]
    if expected >= 0, scanner.passKey(plan.members[expected].quotedKey.buffer) { return expected }
    guard let key = try scanner.nextKey() else { return nil }
    guard let found = index(of: key, plan) else { return -1 }
    following[last + 1] = found
    return found
  }

  private func index(of key: JSONRawString, _ plan: DirectPlan) -> Int? {
    if !plan.hasPlainKeys || key.hasEscapes || key.bytes.contains(where: { $0 >= 0x80 }) {
      // Strings count as equal in more ways than byte by byte.
      return plan.indices[key.string]
    }
    for index in plan.members.indices {
      let quoted = plan.members[index].quotedKey.buffer
      if quoted.count == key.bytes.count + 2, key.equals(UnsafeBufferPointer(rebasing: quoted[1..<quoted.count - 1])) {
        return index
      }
    }
    return nil
  }
}

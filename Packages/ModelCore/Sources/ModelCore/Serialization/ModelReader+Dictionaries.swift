@_spi(ModelKitInternals) import FieldKit

// From a dictionary straight to the fields of an ordinary model that nobody knows yet: what staging gives, without a
// closure for each field.
extension ModelReader {
  /// A new model with what a dictionary has, or nil if it takes a closer look: related models, a live model of the same
  /// identifier, or anything that does not fit. Then nothing was done.
  static func plainModel<M: Model>(_ type: M.Type, _ dictionary: AttributeDictionary, in scope: ModelScope?) -> M? {
    let context = scope?.transformers ?? .standard
    guard context.isPlain, context.decoding == .strict else { return nil }
    let model = context.prepared(type.init())
    let layout = model.layout
    guard let plan = DirectPlan.plan(for: model, keyCase: context.keyCase, context: context),
      !plan.choosesInstanceClass, !model.hasDynamicFields
    else { return nil }
    let stamp = ChangeStamp.next()
    var count = 0
    for (index, member) in plan.members.enumerated() {
      guard let json = dictionary[member.key] else { continue }
      guard member.kind != .relation, let field = layout.reference(at: index, of: model) else { return nil }
      count += 1
      let wasRead: Bool = field._withUnsafeGuaranteedRef { field in
        guard field.isReadableDirectly(as: member.kind, declaredKey: member.declaredKey) else { return false }
        do {
          try field.readDirectly(as: member.kind, from: json, stamp: stamp, in: context)
          return true
        } catch {
          return false
        }
      }
      if !wasRead { return nil }
    }
    if context.keepsUnknownKeys, count < dictionary.count { return nil }
    let identifier = model.modelIdentifier
    if let scope, let identifier, scope.canonicalModel(like: model, identifier: identifier) != nil { return nil }
    // Nothing but the identifier is a reference: it says nothing about the other fields.
    let isReference = count == 1 && dictionary.count == 1 && plan.members.count > 1 && identifier != nil
    model.markReadFromSource(isReference: isReference, isFromStore: false, since: stamp)
    scope?.register(model)
    return model
  }
}

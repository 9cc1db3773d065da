@_spi(ModelKitInternals) import FieldKit

// Reading from a dictionary directly into the fields of a new model. The result is the same as with staging, without a
// closure for each field.
extension ModelReader {
  /// Returns a new model with the values of a dictionary, or nil if it needs staging. It needs staging for related
  /// models, a live model with the same identifier, or a value that does not fit. Nothing is changed then.
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
    // An object with only an identifier is a reference, without information about the other fields.
    let isReference = count == 1 && dictionary.count == 1 && plan.members.count > 1 && identifier != nil
    model.markReadFromSource(isReference: isReference, isFromStore: false, since: stamp)
    scope?.register(model)
    return model
  }
}

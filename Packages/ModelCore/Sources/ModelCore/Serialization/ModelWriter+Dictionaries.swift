@_spi(ModelKitInternals) import FieldKit

// From the fields of an ordinary model straight to a dictionary: what `object(of:fields:)` gives, without asking every
// field for its key and its transformers.
extension ModelWriter {
  /// All fields of a model that were loaded or set, or nil if it takes a closer look.
  func plainObject(of model: ModelObject) -> AttributeDictionary? {
    let layout = model.layout
    guard context.isPlain, let plan = DirectPlan.plan(for: model, keyCase: context.keyCase, context: context),
      // What is met first is written in full: where there are two relations, the order of the fields counts.
      !plan.choosesFields, plan.relationCount < 2, !model.hasDynamicFields,
      model.details?.remainder == nil
    else { return nil }
    if plan.relationCount > 0 { seen.insert(ObjectIdentifier(model)) }
    let inclusion: DirectInclusion = model.origin == .new ? .loadedOrIncomplete : .loaded
    var object = AttributeDictionary(minimumCapacity: plan.members.count)
    for (index, member) in plan.members.enumerated() {
      guard let field = layout.reference(at: index, of: model) else { return nil }
      do {
        let json: JSONValue? = try field._withUnsafeGuaranteedRef { field in
          if member.kind != .relation {
            return try field.directMember(
              as: member.kind, declaredKey: member.declaredKey, inclusion, by: self)
          }
          guard member.declaredKey == field.declaredKey else { throw NeedsTree() }
          guard field.isIncluded(in: inclusion) else { return Optional<JSONValue>.none }
          if let json = try field.exported(by: self) { return json }
          return context.explicitNull && field.anyValue == nil ? JSONValue?.some(.null) : JSONValue?.none
        }
        if let json { object[member.key] = json }
      } catch {
        seen.removeAll()
        return nil
      }
    }
    return object
  }
}

@_spi(ModelKitInternals) import FieldKit

// Writing from the fields of a model directly to a dictionary. The result is that of `object(of:fields:)`, without
// reading the key and the transformers of each field.
extension ModelWriter {
  /// Returns all fields of a model that are loaded or set, or nil if the model needs `object(of:fields:)`.
  func plainObject(of model: ModelObject) -> AttributeDictionary? {
    let layout = model.layout
    guard context.isPlain, let plan = DirectPlan.plan(for: model, keyCase: context.keyCase, context: context),
      // The first occurrence of a model is written in full, so the order of several relations counts.
      !plan.choosesFields, plan.relationCount < 2, !model.hasDynamicFields,
      model.details?.remainder == nil
    else { return nil }
    if plan.relationCount > 0 { seen.insert(ObjectIdentifier(model)) }
    let inclusion: DirectInclusion = model.origin == .new ? .loadedOrIncomplete : .loaded
    var object = AttributeDictionary(minimumCapacity: plan.members.count)
    for (index, member) in plan.members.enumerated() where plan.relationsStoredByInverse & 1 &<< UInt64(index) == 0 {
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

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// A live model. Its values are those that the store has now, or would have after a save. So both give the same result.
struct ModelRow: QueryRow {
  let model: ModelObject
  let context: ValueTransformerContext
  /// Whether the values are those of the store, without local changes. The related models were read before, so that
  /// those which are not loaded have no record.
  var isStored = false

  private func field(at slot: QuerySlot) throws -> AnyField {
    guard let field = model.field(like: slot.owner) ?? model.field(declaredAs: slot.key) else {
      throw ModelStoreError(.invalid, "This \(type(of: model).displayName) has no field \"\(slot.key)\".")
    }
    if model.isUnloadedReference, case .notLoaded = field.loadState {
      throw unread(slot, "it was not loaded yet. Look it up first")
    }
    if !isStored, model.isKnownToStore, field.isRelation, !field.isLoaded,
      let relation = field as? any RelationField,
      isStoredByInverse(relation)
    {
      throw unread(slot, "the related models were not loaded yet. List the models with including:")
    }
    return field
  }

  private func unread(_ slot: QuerySlot, _ reason: String) -> ModelStoreError {
    let identifier = model.storedIdentifier
    let name = "\(model.storedTypeName.nameForMessage) \((identifier ?? "").quotedForMessage)"
    return ModelStoreError(
      .unsupported, "\(slot.key.quotedForMessage) of \(name) can't be read: \(reason).", identifier: identifier)
  }

  /// Returns whether only records of the related models store the links of a relation.
  private func isStoredByInverse(_ relation: any RelationField) -> Bool {
    if model.hasInRecord(relation) { return false }
    let related = relation.relatedClass.init()
    return withExtendedLifetime(related) { model.inverseField(of: relation, on: related) != nil }
  }

  func test(_ test: QueryTest, at slot: QuerySlot) throws -> Bool {
    if !slot.inner.isEmpty { return try test.matches(json(of: field(at: slot), at: slot)) }
    return try test.matches(field(at: slot), in: context)
  }

  private func json(of field: AnyField, at slot: QuerySlot) -> JSONValue {
    let baseline = isStored && field.isDirty ? model.storedBaseline(of: field, in: context)?.value : nil
    let whole = baseline ?? (try? field.exported(by: FieldWriter(context: context))) ?? .null
    return slot.inner.isEmpty ? whole : whole.member(at: slot.inner)
  }

  func json(at slot: QuerySlot) throws -> JSONValue {
    let field = isStored ? try? field(at: slot) : try field(at: slot)
    return field.map { json(of: $0, at: slot) } ?? .null
  }

  func related(at slot: QuerySlot, _ level: QueryLevel) throws -> (any QueryRow)? {
    if isStored, model.isUnloadedReference { return nil }
    guard let relation = try field(at: slot) as? any RelationField else { return nil }
    return models(of: relation).first.map {
      ModelRow(model: $0, context: context, isStored: isStored)
    }
  }

  private func models(of relation: any RelationField) -> [ModelObject] {
    isStored ? relation.storedModels : relation.relatedModels
  }

  func elements(of list: QueryList) throws -> [any QueryRow] {
    let field = try field(at: list.slot)
    if let relation = field as? any RelationField {
      return models(of: relation).map { ModelRow(model: $0, context: context, isStored: isStored) }
    }
    return try RelatedRow.elements(in: json(at: list.slot), of: list, QueryRelatedRecords(nil))
  }

  /// Returns 0, because live models have both directions of their relations, so that nothing is joined.
  func count(of join: QueryJoin) throws -> Int { 0 }

  func knows(_ slot: QuerySlot) throws -> Bool { true }
}

@_spi(ModelKitInternals) public import FieldKit

// A relation whose inverse has foreign keys is stored once, in the records of the related models. Written a second
// time, in the record of its owner, it would become outdated as soon as a related model is saved. Such a relation is a
// list, or a to-one relation whose inverse is one, too.
extension ModelObject {
  /// The fields in records of a class that does not override `fieldsForDictionaryValue()`.
  var recordFields: [AnyField] {
    let fields = allFields
    guard hasRelationsStoredByInverse else { return fields }
    return fields.filter { !isStoredByInverse($0) }
  }

  /// Whether a record of the model lacks fields: those that the class leaves out, or relations that their inverse
  /// stores.
  var omitsFields: Bool { OverrideProbe.choosesFields(type(of: self)) || hasRelationsStoredByInverse }

  /// The relations that their inverse stores, as a bit set of layout indices. Those of higher indices are not in it.
  var relationsStoredByInverse: UInt64 {
    layout.relationsStoredByInverse(of: self).reduce(0) { $0 | 1 &<< UInt64($1) }
  }

  private var hasRelationsStoredByInverse: Bool {
    if layout.relationIndices.isEmpty, !hasDynamicFields { return false }
    if !layout.relationsStoredByInverse(of: self).isEmpty { return true }
    return details?.dynamicFields.contains { $0.isRelation && isStoredByInverse($0) } ?? false
  }

  /// Returns whether a relation is in no record of this model, because its inverse stores it.
  func isStoredOnlyByInverse(_ relation: AnyField) -> Bool {
    if OverrideProbe.choosesFields(type(of: self)) { return !fieldsForDictionaryValue().contains { $0 === relation } }
    return isStoredByInverse(relation)
  }

  /// Returns the first of some fields that is a relation in the records of the related models, and not in those of this
  /// model.
  @_spi(ModelKitInternals)
  public func relationStoredByInverse(among fields: [AnyField]) -> AnyField? {
    OverrideProbe.choosesFields(type(of: self)) ? nil : fields.first(where: isStoredByInverse)
  }

  private func isStoredByInverse(_ field: AnyField) -> Bool {
    guard field.isRelation else { return false }
    let index = Int(field.layoutIndex)
    if layout.slots.indices.contains(index) { return layout.relationsStoredByInverse(of: self).contains(index) }
    guard let relation = field as? any Relation, !relation.isForeignKey else { return false }
    return layout.isStoredByInverse(relation)
  }
}

extension ModelLayout {
  /// The relations that their inverse stores, found once for all models of a class.
  struct RelationsStoredByInverse {
    fileprivate var indices: [Int]?
    /// The same for models whose relations were completed by a declaration outside the class.
    fileprivate var indicesIfPrepared: [Int]?
    /// Whether the inverse stores a relation that was added at run time.
    fileprivate var added: [Added: Bool] = [:]

    fileprivate struct Added: Hashable {
      let key: String
      let relatedClass: ObjectIdentifier
      let isToMany: Bool
    }
  }

  /// Returns the indices of the relations that their inverse stores.
  fileprivate func relationsStoredByInverse(of model: ModelObject) -> [Int] {
    if relationIndices.isEmpty { return [] }
    let isPrepared = model.isPrepared
    if let known = storedByInverse.withLock({ isPrepared ? $0.indicesIfPrepared : $0.indices }) { return known }
    // Without the lock: creating a related model may run code of the app.
    let found = relationIndices.filter { (field(at: $0, of: model) as? any Relation)?.isStoredByInverse ?? false }
    storedByInverse.withLock { if isPrepared { $0.indicesIfPrepared = found } else { $0.indices = found } }
    return found
  }

  /// Returns whether the inverse stores a relation that was added to a model at run time.
  fileprivate func isStoredByInverse(_ relation: any Relation) -> Bool {
    let added = RelationsStoredByInverse.Added(
      key: relation.key ?? "", relatedClass: ObjectIdentifier(relation.relatedClass), isToMany: relation.isToMany)
    if let known = storedByInverse.withLock({ $0.added[added] }) { return known }
    let found = relation.isStoredByInverse
    storedByInverse.withLock { $0.added[added] = found }
    return found
  }
}

extension Relation {
  /// Whether the related models store the relation, as foreign keys to the model of this relation. Models without
  /// identifier have no records of their own. A to-one relation whose inverse is a list is written on both sides.
  var isStoredByInverse: Bool {
    guard !isForeignKey else { return false }
    let related = relatedClass.init()
    guard related.identifierField != nil, let inverse = inverse(on: related) else { return false }
    return inverse.isForeignKey && (isToMany || !inverse.isToMany)
  }
}

@_spi(ModelKitInternals) import FieldKit

// A list whose inverse has a foreign key, or a list of them, is stored once, by its members. Written a second time, in the
// record of its owner, it would become outdated as soon as a member is saved.
extension ModelObject {
  /// The fields in records of a class that does not override `fieldsForDictionaryValue()`.
  var recordFields: [AnyField] {
    let fields = allFields
    guard hasListsStoredByMembers else { return fields }
    return fields.filter { !isStoredByMembers($0) }
  }

  /// Whether a record of the model lacks fields: those that the class leaves out, or lists that their members store.
  var omitsFields: Bool { OverrideProbe.choosesFields(type(of: self)) || hasListsStoredByMembers }

  /// The lists that their members store, as a bit set of layout indices. Those of higher indices are not in it.
  var listsStoredByMembers: UInt64 {
    layout.listsStoredByMembers(of: self).reduce(0) { $0 | 1 &<< UInt64($1) }
  }

  private var hasListsStoredByMembers: Bool {
    if layout.relationIndices.isEmpty, !hasDynamicFields { return false }
    if !layout.listsStoredByMembers(of: self).isEmpty { return true }
    return details?.dynamicFields.contains { $0.isRelation && isStoredByMembers($0) } ?? false
  }

  /// Returns whether a list is in no record of this model, because its members store it.
  func isStoredOnlyByMembers(_ list: AnyField) -> Bool {
    if OverrideProbe.choosesFields(type(of: self)) { return !fieldsForDictionaryValue().contains { $0 === list } }
    return isStoredByMembers(list)
  }

  private func isStoredByMembers(_ field: AnyField) -> Bool {
    guard field.isRelation else { return false }
    let index = Int(field.layoutIndex)
    if layout.slots.indices.contains(index) { return layout.listsStoredByMembers(of: self).contains(index) }
    guard let relation = field as? any Relation, relation.isToMany, !relation.isForeignKey else { return false }
    return layout.isStoredByMembers(relation)
  }
}

extension ModelLayout {
  /// The lists that their members store, found once for all models of a class.
  struct ListsStoredByMembers {
    fileprivate var indices: [Int]?
    /// The same for models whose relations were completed by a declaration outside the class.
    fileprivate var indicesIfPrepared: [Int]?
    /// Whether the members store a list that was added at run time.
    fileprivate var added: [Added: Bool] = [:]

    fileprivate struct Added: Hashable {
      let key: String
      let relatedClass: ObjectIdentifier
    }
  }

  /// Returns the indices of the lists that their members store.
  fileprivate func listsStoredByMembers(of model: ModelObject) -> [Int] {
    if relationIndices.isEmpty { return [] }
    let isPrepared = model.isPrepared
    if let known = membersStore.withLock({ isPrepared ? $0.indicesIfPrepared : $0.indices }) { return known }
    // Without the lock: creating a related model may run code of the app.
    let found = relationIndices.filter { (field(at: $0, of: model) as? any Relation)?.isStoredByMembers ?? false }
    membersStore.withLock { if isPrepared { $0.indicesIfPrepared = found } else { $0.indices = found } }
    return found
  }

  /// Returns whether the members store a list that was added to a model at run time.
  fileprivate func isStoredByMembers(_ relation: any Relation) -> Bool {
    let added = ListsStoredByMembers.Added(
      key: relation.key ?? "", relatedClass: ObjectIdentifier(relation.relatedClass))
    if let known = membersStore.withLock({ $0.added[added] }) { return known }
    let found = relation.isStoredByMembers
    membersStore.withLock { $0.added[added] = found }
    return found
  }
}

extension Relation {
  /// Whether the members of the list store it, as foreign keys to the model of this relation. Members without identifier
  /// have no records of their own.
  var isStoredByMembers: Bool {
    guard isToMany, !isForeignKey else { return false }
    let member = relatedClass.init()
    guard member.identifierField != nil, let inverse = inverse(on: member) else { return false }
    return inverse.isForeignKey
  }
}

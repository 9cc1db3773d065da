@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Returns a copy of the model and of its related models, independent of the originals.
  ///
  /// All models that can be reached are copied, except over foreign keys. A copied foreign key references the same
  /// model; its inverse there still references the original. The copies reference each other as the originals do, in
  /// cycles too. Of each link, the side nearer to this model retains the other.
  ///
  /// Identifiers are kept, but the copies are in no scope. Stamps, load states, unsaved changes and the baselines of
  /// `revert()` are copied; observers and validation results are not. Values that the class sets in `init` are
  /// replaced.
  ///
  /// - Complexity: O(*n*) in the number of fields of all copied models.
  public func copy() -> Self { copied(fields: nil) as? Self ?? Self() }

  /// Returns a new model with the values of some fields; the others are as in a new model.
  ///
  /// The copy has an identifier only if the identifier field is among the given ones.
  ///
  /// - Parameter fields: fields of this model; others are ignored. Related models are copied in full, as ``copy()``
  ///   does.
  public func copy(fields: [AnyField]) -> Self { copied(fields: fields) as? Self ?? Self() }
}

extension ModelObject {
  /// Copies a graph in three steps, without recursion.
  ///
  /// The steps create all copies with their plain values, link them as the originals are linked, and copy the states.
  func copied(fields chosen: [AnyField]?) -> ModelObject {
    let chosen = chosen.map { Set($0.map { ObjectIdentifier($0) }) }
    func isChosen(_ field: AnyField, of model: ModelObject) -> Bool {
      guard let chosen, model === self else { return true }
      return chosen.contains(ObjectIdentifier(field))
    }
    let originals = GraphWalk.models(from: self, includesOriginals: true) { !$0.isForeignKey && isChosen($0, of: $1) }
    var copies: [ObjectIdentifier: ModelObject] = [:]
    var relations: [CopiedRelation] = []
    for original in originals {
      let copy = type(of: original).init()
      original.memberScope?.transformers.prepare(copy)
      copies[ObjectIdentifier(original)] = copy
      if chosen == nil || original !== self { copy.copyStates(of: original) }
      original.forEachField { field, index in
        guard isChosen(field, of: original) else { return }
        guard let other = copy.counterpart(of: field, at: index) else {
          if index < 0 { copy.addCopy(of: field) }
          return
        }
        if let relation = CopiedRelation(field, other) {
          relations.append(relation)
        } else {
          other.takeValue(of: field)
        }
      }
    }
    for relation in relations { relation.makeRoom() }
    let order = Dictionary(uniqueKeysWithValues: zip(relations.map { ObjectIdentifier($0.original) }, 0...))
    for relation in relations { relation.refer(toCopies: copies, order) }
    if chosen != nil { for relation in relations { relation.linkInverse(to: self, copies, order) } }
    for relation in relations { relation.copyStates(copies, order) }
    for relation in relations { relation.copy.announceReference() }
    return copies[ObjectIdentifier(self)] ?? self
  }

  /// Returns the field of a copy that corresponds to one of the original; nil if the copy has none.
  ///
  /// - Parameter index: the index of the field in the layout, or -1 for a field added at run time.
  func counterpart(of field: AnyField, at index: Int) -> AnyField? {
    if index >= 0 { return layout.field(at: index, of: self) }
    // A class may add fields to every new model.
    return field.declaredKey.flatMap { key in details?.dynamicFields.first { $0.declaredKey == key } }
  }

  func copyStates(of original: ModelObject) {
    modelLoadState = original.modelLoadState
    origin = original.origin
    isStored = original.isStored
    if let remainder = original.details?.remainder { detailsForWriting.remainder = remainder }
  }

  func addCopy(of field: AnyField) {
    // The class may have added the field in `init`.
    if let key = field.declaredKey, let own = self.field(forKey: key) { return own.takeValue(of: field) }
    let copy: AnyField = field.copy()
    copy.adopt(by: self, at: Int(UInt16.max))
    detailsForWriting.dynamicFields.append(copy)
  }
}

/// A relation and its copy, which references the copies of the related models.
struct CopiedRelation {
  let original: any Relation
  let field: AnyField
  let copy: any Relation
  let copiedField: AnyField

  init(original: any Relation, field: AnyField, copy: any Relation, copiedField: AnyField) {
    self.original = original
    self.field = field
    self.copy = copy
    self.copiedField = copiedField
  }

  /// Pairs two fields; nil if they are not relations.
  init?(_ field: AnyField, _ copiedField: AnyField) {
    guard field.isRelation, let original = field as? any Relation, let copy = copiedField as? any Relation else {
      return nil
    }
    self.init(original: original, field: field, copy: copy, copiedField: copiedField)
  }

  /// Removes the models that the class added in `init`.
  func makeRoom() {
    if !copy.relatedModels.isEmpty { copy.unlink(copy.relatedModels) }
  }

  /// Sets the related models in their order. Each side of a link does so for itself.
  ///
  /// - Parameter order: the positions of all copied relations, by their originals.
  func refer(toCopies copies: [ObjectIdentifier: ModelObject], _ order: [ObjectIdentifier: Int]) {
    guard field.anyValue != nil else { return copy.refer(to: nil, isUneven: true) }
    var isUneven = original.isUneven
    let links = original.relatedModels.map { model in
      guard let copy = copies[ObjectIdentifier(model)] else {
        // The inverse is not updated.
        isUneven = true
        return (model: model, isRetained: true)
      }
      return (model: copy, isRetained: retains(model, order))
    }
    copy.refer(to: links, isUneven: isUneven)
  }

  /// Returns whether the copy of the relation retains the copy of a model. The side nearer to the start retains,
  /// for current models and for those of the baseline. A model does not retain itself.
  private func retains(_ model: ModelObject, _ order: [ObjectIdentifier: Int]) -> Bool {
    if model === original.ownerModel { return false }
    guard let owner = original.ownerModel, let inverse = original.inverse(on: model),
      let place = order[ObjectIdentifier(original)], let other = order[ObjectIdentifier(inverse)], other < place
    else { return true }
    return !inverse.refers(to: owner) && !inverse.isReverted(to: owner)
  }

  /// Links a model of which only some fields were copied to the copies that reference it.
  func linkInverse(
    to model: ModelObject, _ copies: [ObjectIdentifier: ModelObject], _ order: [ObjectIdentifier: Int]
  ) {
    guard original.owner !== model, original.refers(to: model), let copiedModel = copies[ObjectIdentifier(model)],
      let inverse = original.inverse(on: model), order[ObjectIdentifier(inverse)] == nil
    else { return }
    copy.linkInverse(copiedModel, RelationChange())
  }

  /// Copies the state and the baseline.
  func copyStates(_ copies: [ObjectIdentifier: ModelObject], _ order: [ObjectIdentifier: Int]) {
    copiedField.copyStates(of: field)
    copy.keepBaseline(of: original, copies) { copies[ObjectIdentifier($0)] == nil || retains($0, order) }
  }
}

@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// A model with the same values that is independent of this one.
  ///
  /// Related models are copied with it, and so is all that is reached from them, except over foreign keys: these lead to the
  /// same models, which don't hear of it, so that their own side still leads to the original. The copied models lead to
  /// each other as the originals do, in circles too; each link is retained by the side that is nearer to this model.
  ///
  /// Identifiers are kept, but the copies are in no scope, and so never the one object for their identifier. Stamps, load
  /// states, what is dirty and what `revert()` goes back to are as in the original; observers and validation results stay
  /// behind. What the class puts into its fields in `init` is replaced.
  ///
  /// - Complexity: O(*n*) in the number of fields of all copied models.
  public func copy() -> Self { copied(fields: nil) as? Self ?? Self() }

  /// A new model with the values of some fields: of the others it has what a new model has. So it has no identifier unless
  /// that is among them.
  ///
  /// - Parameter fields: fields of this model; others are ignored. Related models are copied in full, as ``copy()`` does.
  public func copy(fields: [AnyField]) -> Self { copied(fields: fields) as? Self ?? Self() }
}

extension ModelObject {
  /// Copies a graph in three steps, without calls from model to model: all copies are made with their plain values, then
  /// linked as the originals are, and then get their states.
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
      if chosen == nil || original !== self { copy.takeStates(of: original) }
      original.forEachField { field, index in
        guard isChosen(field, of: original) else { return }
        // A class may add fields to every model when it is made.
        let counterpart =
          index < 0
          ? field.declaredKey.flatMap { key in copy.details?.dynamicFields.first { $0.declaredKey == key } }
          : copy.layout.field(at: index, of: copy)
        guard let other = counterpart else {
          if index < 0 { copy.addCopy(of: field) }
          return
        }
        if let relation = field as? any Relation, let copied = other as? any Relation {
          relations.append(CopiedRelation(original: relation, field: field, copy: copied, copiedField: other))
        } else {
          other.takeValue(of: field)
        }
      }
    }
    for relation in relations { relation.makeRoom() }
    let order = Dictionary(uniqueKeysWithValues: zip(relations.map { ObjectIdentifier($0.original) }, 0...))
    for relation in relations { relation.refer(toCopies: copies, order) }
    if chosen != nil { for relation in relations { relation.linkBack(to: self, copies, order) } }
    for relation in relations { relation.takeStates(copies, order) }
    for relation in relations { relation.copy.announceReference() }
    return copies[ObjectIdentifier(self)] ?? self
  }

  private func takeStates(of original: ModelObject) {
    modelLoadState = original.modelLoadState
    origin = original.origin
    isStored = original.isStored
    if let remainder = original.details?.remainder { detailsForWriting.remainder = remainder }
  }

  private func addCopy(of field: AnyField) {
    // The class may have added it in `init`.
    if let key = field.declaredKey, let own = self.field(forKey: key) { return own.takeValue(of: field) }
    let copy: AnyField = field.copy()
    copy.adopt(by: self, at: Int(UInt16.max))
    detailsForWriting.dynamicFields.append(copy)
  }
}

/// A relation and its copy, which is to lead to the copies of what the relation leads to.
private struct CopiedRelation {
  let original: any Relation
  let field: AnyField
  let copy: any Relation
  let copiedField: AnyField

  /// Lets go of what the class put there in `init`.
  func makeRoom() {
    if !copy.relatedModels.isEmpty { copy.unlink(copy.relatedModels) }
  }

  /// Takes the models in their order. Both sides of a link do so.
  ///
  /// - Parameter order: the places of all copied relations, by their originals.
  func refer(toCopies copies: [ObjectIdentifier: ModelObject], _ order: [ObjectIdentifier: Int]) {
    guard field.anyValue != nil else { return copy.refer(to: nil, isUneven: true) }
    var isUneven = original.isUneven
    let links = original.relatedModels.map { model in
      guard let copy = copies[ObjectIdentifier(model)] else {
        // It does not hear of it.
        isUneven = true
        return (model: model, isRetained: true)
      }
      return (model: copy, isRetained: retains(model, order))
    }
    copy.refer(to: links, isUneven: isUneven)
  }

  /// Whether the copy is to retain the copy of a model: the side that is nearer to where the copying began does, for what
  /// it leads to and for what it goes back to alike.
  private func retains(_ model: ModelObject, _ order: [ObjectIdentifier: Int]) -> Bool {
    guard let owner = original.ownerModel, let inverse = original.inverse(on: model),
      let place = order[ObjectIdentifier(original)], let other = order[ObjectIdentifier(inverse)], other < place
    else { return true }
    return !inverse.refers(to: owner) && !inverse.isReverted(to: owner)
  }

  /// Has a model of which only some fields were copied follow the links that other copies have to it.
  func linkBack(
    to model: ModelObject, _ copies: [ObjectIdentifier: ModelObject], _ order: [ObjectIdentifier: Int]
  ) {
    guard original.owner !== model, original.refers(to: model), let copiedModel = copies[ObjectIdentifier(model)],
      let inverse = original.inverse(on: model), order[ObjectIdentifier(inverse)] == nil
    else { return }
    copy.linkBack(copiedModel, RelationChange())
  }

  /// Takes the states, and what there is to go back to.
  func takeStates(_ copies: [ObjectIdentifier: ModelObject], _ order: [ObjectIdentifier: Int]) {
    copiedField.takeStates(of: field)
    copy.keepBaseline(of: original, copies) { copies[ObjectIdentifier($0)] == nil || retains($0, order) }
  }
}

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
  public func copy(fields: [any FieldProtocol]) -> Self { copied(fields: fields) as? Self ?? Self() }
}

extension ModelObject {
  /// Copies a graph in three steps, without calls from model to model: all copies are made with their plain values, then
  /// linked, and then get the states that the linking changed.
  fileprivate func copied(fields chosen: [any FieldProtocol]?) -> ModelObject {
    let chosen = chosen.map { Set($0.map { ObjectIdentifier($0) }) }
    func isChosen(_ field: any FieldProtocol, of model: ModelObject) -> Bool {
      guard let chosen, model === self else { return true }
      return chosen.contains(ObjectIdentifier(field))
    }
    let originals = GraphWalk.models(from: self) { !$0.isForeignKey && isChosen($0, of: $1) }
    var copies: [ObjectIdentifier: ModelObject] = [:]
    var relations: [CopiedRelation] = []
    for original in originals {
      let copy = type(of: original).init()
      copies[ObjectIdentifier(original)] = copy
      if chosen == nil || original !== self { copy.takeStates(of: original) }
      original.forEachField { field, index in
        guard isChosen(field, of: original) else { return }
        guard index >= 0 else { return copy.addCopy(of: field) }
        guard let other = copy.layout.field(at: index, of: copy) else { return }
        if let relation = field as? any Relation, let copied = other as? any Relation {
          relations.append(CopiedRelation(original: relation, field: field, copy: copied, copiedField: other))
        } else {
          other.takeValue(of: field)
        }
      }
    }
    for relation in relations { relation.refer(toCopies: copies) }
    for relation in relations { relation.link(toCopies: copies) }
    for relation in relations { relation.copiedField.takeStates(of: relation.field) }
    return copies[ObjectIdentifier(self)] ?? self
  }

  private func takeStates(of original: ModelObject) {
    modelLoadState = original.modelLoadState
    origin = original.origin
    isStored = original.isStored
    if let remainder = original.details?.remainder { detailsForWriting.remainder = remainder }
  }

  private func addCopy(of field: FieldBase) {
    // The class may have added it in `init`.
    if let key = field.declaredKey, let own = self.field(forKey: key) { return own.takeValue(of: field) }
    let copy: FieldBase = field.copy()
    copy.adopt(by: self, at: Int(UInt16.max))
    detailsForWriting.dynamicFields.append(copy)
  }
}

/// A relation and its copy, which is to lead to the copies of what the relation leads to.
private struct CopiedRelation {
  let original: any Relation
  let field: FieldBase
  let copy: any Relation
  let copiedField: FieldBase

  /// Takes the models that are not copied, without a word to them.
  func refer(toCopies copies: [ObjectIdentifier: ModelObject]) {
    let others = original.relatedModels.filter { copies[ObjectIdentifier($0)] == nil }
    if !others.isEmpty { copy.refer(to: others) }
  }

  /// Takes all models in their order. Those that are there already stay as they are, and the copies learn of it.
  func link(toCopies copies: [ObjectIdentifier: ModelObject]) {
    let models = original.relatedModels
    if field.anyValue == nil { return setModels(nil) }
    if models.allSatisfy({ copies[ObjectIdentifier($0)] == nil }), !models.isEmpty { return }
    setModels(models.map { copies[ObjectIdentifier($0)] ?? $0 })
  }

  private func setModels(_ models: [ModelObject]?) {
    // Always of the right type: copies are of the same class as their originals.
    if copy.isToMany { try? copiedField.set(anyValue: models) } else { try? copiedField.set(anyValue: models?.first) }
  }
}

@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Forgets all values but the identifier, so that they need no memory: the model is as if it had only been referred to.
  ///
  /// The model is `incomplete` and its fields are not loaded, so that a later save writes nothing. Local changes are lost.
  /// The related models keep their side of a relation as it is: they still lead here, until this side is read or set anew and
  /// says otherwise. Observers are told that the values are nil.
  public func unload() {
    let identifierField = identifierField
    // What one relation retains, another one may lead to: nothing is to vanish from that before it is unloaded itself.
    withExtendedLifetime(modelsKeptByRelations) {
      for field in orderedFields where field !== identifierField { field.unload() }
      details?.remainder = nil
      details?.documentLoad = nil
      details?.unknownBaselines = []
      modelLoadState = .incomplete
      identityMap?.settle(self)
    }
  }

  /// Goes back to the values as they were last loaded or saved. Observers are told once everything is back.
  ///
  /// Each field remembers what was last read or saved when it changes for the first time after that. A field that was
  /// neither read nor saved is unset again if the model was; if all of the model is new, there is nothing to go back to, and
  /// it keeps its values. Kept as well are fields that were changed while a save was under way: what was saved is not known.
  /// A relation goes back on both sides, and so changes the models that come back and those that go. One of these that has
  /// what was last read or saved by that is not dirty any more; one that has something else is. What a relation goes back
  /// to, it retains if it did before.
  ///
  /// - Returns: the fields that went back, in the order of ``fields``.
  @discardableResult
  public func revert() -> [AnyField] { revert(where: { _ in true }) }

  /// Goes back, in what stores write, from changes that a store's record of the model did not overwrite: it has nothing there.
  ///
  /// - Parameter stamp: when the record was asked for. Later changes stay.
  @_spi(ModelKitInternals)
  public func revertWhatIsInNoRecord(asOf stamp: ChangeStamp) {
    let stored = Set(storableFields.map { ObjectIdentifier($0) })
    revert(where: { $0.lastChange <= stamp && stored.contains(ObjectIdentifier($0)) })
  }

  @discardableResult
  private func revert(where isToGoBack: (AnyField) -> Bool) -> [AnyField] {
    // What goes from one relation may come back to another one.
    let models = modelsKeptByRelations
    defer { withExtendedLifetime(models) {} }
    return transaction {
      orderedFields.filter { $0.isDirty && isToGoBack($0) }.filter { field in
        // A relation that went back may have taken another one with it.
        if !field.isDirty || field.restore() { return true }
        guard origin == .read, field.wasNeverSaved else { return false }
        if let relation = field as? any Relation { relation.unlinkAll() }
        field.unload()
        identityMap?.settle(self)
        return true
      }
    }
  }
}

extension ModelObject {
  fileprivate var modelsKeptByRelations: [ModelObject] {
    relations.flatMap { $0.retainedModels + ($0.baselineModels ?? []) }
  }
}

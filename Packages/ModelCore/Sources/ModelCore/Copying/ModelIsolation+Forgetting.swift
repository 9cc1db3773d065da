@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Forgets all values but the identifier, so that they need no memory: the model is as if it had only been referred to.
  ///
  /// The model is `incomplete` and its fields are not loaded, so that a later save writes nothing. Local changes are lost.
  /// The related models keep their side of a relation as it is: they still lead here. Observers are told that the values
  /// are nil.
  public func unload() {
    let identifierField = identifierField
    for field in orderedFields where field !== identifierField { field.unload() }
    details?.remainder = nil
    modelLoadState = .incomplete
  }

  /// Goes back to the values as they were last loaded or saved. Observers are told once everything is back.
  ///
  /// Each field remembers what was last read or saved when it changes for the first time after that. A field that was
  /// neither read nor saved is unset again if the model was; if all of the model is new, there is nothing to go back to, and
  /// it keeps its values. Kept as well are fields that were changed while a save was under way: what was saved is not known.
  /// Relations keep what they have; a dirty one stays dirty.
  ///
  /// - Returns: the fields that went back, in the order of ``fields``.
  @discardableResult
  public func revert() -> [any FieldProtocol] {
    transaction {
      orderedFields.filter { field in
        guard field.isDirty, !field.isRelation else { return false }
        if field.restore() { return true }
        guard origin == .read, field.wasNeverSaved else { return false }
        field.unload()
        return true
      }
    }
  }
}

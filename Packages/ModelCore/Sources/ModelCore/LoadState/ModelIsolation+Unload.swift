@_spi(ModelKitInternals) import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Discards all values but the identifier, to free their memory. The model becomes an unloaded reference.
  ///
  /// The model is `incomplete` and its fields are not loaded, so a later save writes nothing. Unsaved changes are lost.
  /// A transaction of a store that fails restores only the unsaved changes.
  /// The inverses on related models stay as they are until the relation is read again or set. Observers are notified
  /// that the values are nil.
  public func unload() {
    let identifierField = identifierField
    // A model that one relation retains may be referenced by another, and must stay until that one is unloaded too.
    withExtendedLifetime(modelsKeptByRelations) {
      for field in orderedFields where field !== identifierField { field.unload() }
      details?.remainder = nil
      details?.documentLoad = nil
      details?.unknownBaselines = []
      details?.formerLinks = [:]
      modelLoadState = .incomplete
      identityMap?.unloadCount += 1
      identityMap?.releaseIfSaved(self)
    }
  }
}

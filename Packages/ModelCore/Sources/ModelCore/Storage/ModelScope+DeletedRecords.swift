@_spi(ModelKitInternals)
extension ModelScope {
  /// Removes the model of a record that was deleted before an older state of it was read. No link becomes dirty.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - models: the models that were read with it, whose relations without an inverse may have links to it.
  ///   - staysReference: whether an unloaded reference only loses the links of these models.
  public func discard(_ model: ModelObject, linkedFrom models: [ModelObject], staysReference: Bool) {
    let change = RelationChange(.reading)
    for relation in model.relations where !staysReference {
      for other in relation.liveModels {
        relation.inverse(on: other)?.detachInverse(model, change)
        relation.detachInverse(other, change)
      }
    }
    for relation in models.lazy.flatMap(\.relations) where relation.refers(to: model) {
      relation.detachInverse(model, change)
    }
    change.announce()
    if staysReference { return }
    remove(model)
    model.markDeleted(in: self)
  }
}

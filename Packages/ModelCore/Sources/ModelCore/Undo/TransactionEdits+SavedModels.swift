@_spi(ModelKitInternals)
extension TransactionEdits {
  /// The models that the transaction created, or of which it saved fields.
  public var savedModels: Set<ModelObject> {
    created.union(order.compactMap { uncommitted[$0] != nil ? entries[$0]?.model : nil })
  }
}

extension ModelObject {
  /// Says that the model has what a document says of it, which may be no more than that it exists.
  func becomeRead(isReference: Bool, isFromStore: Bool) {
    if !isReference {
      modelLoadState = .loaded
    } else if origin == .new {
      modelLoadState = .incomplete
    }
    origin = .read
    storeMark = nil
    if isFromStore { isStored = true }
  }

  /// Says that the model was read from its own record, or is in it as it is. That has all there is of it, also if it is no more
  /// than an identifier, which inside another model is a reference.
  @_spi(ModelKitInternals)
  public func becomeWhole() {
    if case .incomplete = modelLoadState { modelLoadState = .loaded }
  }
}

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
}

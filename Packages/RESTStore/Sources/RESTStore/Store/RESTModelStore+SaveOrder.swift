@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import StoreProtocol

// The updates of one model run one after the other. Otherwise they could overtake each other on the way to the server, and
// an older answer could arrive last.
extension RESTModelStore {
  /// Waits until no other update of a model is in progress. Each call needs one of ``endUpdate(of:)``.
  ///
  /// - Returns: whether there was one.
  /// - Throws: `ModelStoreError` with the code `cancelled`.
  func beginUpdate<M: Model>(of model: M) async throws -> Bool {
    let key = ObjectIdentifier(model)
    var hasWaited = false
    while !updating.withLock({ $0.insert(key).inserted }) {
      hasWaited = true
      await updating.wait(isolation: #isolation) { !$0.contains(key) }
      if Task.isCancelled {
        throw ModelStoreError(
          .cancelled, "This \(model.storedTypeName.nameForMessage) was not written: the task was cancelled.",
          identifier: model.storedIdentifier)
      }
    }
    return hasWaited
  }

  /// Lets the next update of a model begin.
  func endUpdate<M: Model>(of model: M) {
    for task in updating.change({ $0.remove(ObjectIdentifier(model)) }) { task.resume() }
  }
}

@_spi(ModelKitInternals) public import StoreProtocol

extension RESTModelStore: SharedModelStore {
  /// The function that creates another instance, with the additions of ``with(headers:parameters:payload:timeout:cachePolicy:sendsCredentials:)``.
  /// It is nil if ``RESTOptions/maximumConcurrentRequests`` is 1.
  public var makeInstance: (@Sendable () -> any ModelStore)? {
    guard handle.options.maximumConcurrentRequests > 1 else { return nil }
    let (transformers, policy) = (scope.transformers, conflictPolicy)
    return { [handle, additions] in
      let store = RESTModelStore(handle, scope: ModelScope(transformers: transformers))
      (store.additions, store.conflictPolicy) = (additions, policy)
      return store
    }
  }
}

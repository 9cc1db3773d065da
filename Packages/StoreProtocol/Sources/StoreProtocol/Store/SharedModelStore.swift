/// A store that several isolations can use at the same time, each through an instance of its own.
///
/// A synchronisation sends several requests at the same time to such a store.
///
/// ```swift
/// if let makeInstance = (store as? any SharedModelStore)?.makeInstance {
///   Task { print(try await makeInstance().list(Book.self).count) }
/// }
/// ```
public protocol SharedModelStore: ModelStore {
  /// The function that creates another instance of the store, with the options of this one and an identity map of its
  /// own. It is nil if the store serves one request at a time.
  var makeInstance: (@Sendable () -> any ModelStore)? { get }
}

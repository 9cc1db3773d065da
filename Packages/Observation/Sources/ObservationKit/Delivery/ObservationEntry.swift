/// What an observation calls. An object of its own, because to retain a closure around its call costs more than the call,
/// and an object that the registry holds need not be retained.
@usableFromInline
final class ObservationAction<Value> {
  @usableFromInline let call: (Value, Value) -> Void
  @usableFromInline let requiresChange: Bool
  /// Whether it passes the value on to another observable: in a transaction those are served first.
  @usableFromInline let isBinding: Bool
  /// Whether it belongs to a derived observable, which counts only while that one is observed.
  @usableFromInline let isPassive: Bool
  /// What the closure uses without retaining it.
  private let context: AnyObject?

  @usableFromInline
  init(
    requiresChange: Bool = true, isBinding: Bool = false, isPassive: Bool = false, context: AnyObject? = nil,
    _ call: @escaping (Value, Value) -> Void
  ) {
    self.call = call
    self.context = context
    self.requiresChange = requiresChange
    self.isBinding = isBinding
    self.isPassive = isPassive
  }
}

/// An observation. Only the registry holds the closure: a token that is kept after it was cancelled keeps nothing.
@usableFromInline
struct ObservationEntry<Value> {
  @usableFromInline let action: ObservationAction<Value>
  @usableFromInline let token: ObservationToken

  @inlinable
  init(action: ObservationAction<Value>, token: ObservationToken) {
    self.action = action
    self.token = token
  }
}

/// The part of an action that does not depend on the type of the values.
@usableFromInline
class AnyObservationAction {
  @usableFromInline final let requiresChange: Bool
  /// Whether it passes the value on to another observable: in a transaction those are served first.
  @usableFromInline final let isBinding: Bool
  /// Whether it belongs to a derived observable, which counts only while that one is observed.
  @usableFromInline final let isPassive: Bool
  /// The object that the closure uses without retaining it.
  @usableFromInline final let context: AnyObject?

  @inlinable
  init(requiresChange: Bool, isBinding: Bool, isPassive: Bool, context: AnyObject?) {
    self.requiresChange = requiresChange
    self.isBinding = isBinding
    self.isPassive = isPassive
    self.context = context
  }
}

/// The action of an observation. It is an object because retaining a closure around its call costs more than the call.
/// An object that the registry retains need not be retained again.
@usableFromInline
final class ObservationAction<Value>: AnyObservationAction {
  @usableFromInline let call: (Value, Value) -> Void

  @inlinable
  init(
    requiresChange: Bool = true, isBinding: Bool = false, isPassive: Bool = false, context: AnyObject? = nil,
    _ call: @escaping (Value, Value) -> Void
  ) {
    self.call = call
    super.init(requiresChange: requiresChange, isBinding: isBinding, isPassive: isPassive, context: context)
  }
}

/// An observation. Only the registry retains the closure: a cancelled token that is kept retains nothing.
///
/// The type of the values is erased, so that adding and removing is the same code for all types. A registry of `Value`
/// has actions of `Value` only.
@usableFromInline
struct ObservationEntry {
  @usableFromInline let action: AnyObservationAction
  @usableFromInline let token: ObservationToken

  @inlinable
  init(action: AnyObservationAction, token: ObservationToken) {
    self.action = action
    self.token = token
  }
}

/// An object whose lifetime bounds the observations made in its name.
///
/// `field --> owner { value in … }` observes until `owner` is deallocated. The owner is held weakly. The observable
/// retains the closure, so a closure that captures the owner strongly keeps the owner alive. The second form passes the
/// owner as a parameter instead of capturing it: `field --> owner { owner, value in owner.title = value }`.
///
/// ```swift
/// final class Screen: ObservationOwner {
///   var title = ""
///   func show(_ source: ValueSource<String>) {
///     source --> self { screen, value in screen.title = value }
///   }
/// }
/// ```
public protocol ObservationOwner: AnyObject {}

extension ObservationOwner {
  /// Binds a closure to the lifetime of this object, for the right-hand side of `-->`.
  ///
  /// - Parameter action: called with the new value. Capture the owner weakly, or use the form that receives it.
  @inlinable
  public func callAsFunction<Value>(_ action: @escaping (Value) -> Void) -> OwnedAction<Value> {
    OwnedAction(owner: self) { _, new in action(new) }
  }

  /// Binds a closure to the lifetime of this object and passes the object to every call.
  ///
  /// - Parameter action: called with the owner and the new value.
  @inlinable
  public func callAsFunction<Value>(_ action: @escaping (Self, Value) -> Void) -> OwnedAction<Value> {
    OwnedAction(owner: self) { [weak self] _, new in
      if let self { action(self, new) }
    }
  }
}

/// A closure that observes until its owner is deallocated, as returned by `owner { value in … }`.
///
/// ```swift
/// final class Screen: ObservationOwner { var title = "" }
/// let screen = Screen()
/// let source = ValueSource("a")
/// source --> screen { screen, value in screen.title = value }
/// ```
public struct OwnedAction<Value> {
  // Strong, but only until the operator has registered the closure: the registry holds the owner weakly.
  @usableFromInline let owner: any ObservationOwner
  @usableFromInline let action: (Value, Value) -> Void

  @inlinable
  init(owner: any ObservationOwner, action: @escaping (Value, Value) -> Void) {
    self.owner = owner
    self.action = action
  }
}

public import Synchronization

/// A reference to an object that announces its deallocation. It costs a fifth of a weak reference.
///
/// It is public as the superclass of ``BindingEnd``. Outside this module only ``end()`` is called.
///
/// The object creates one `DeallocationGuard` and calls ``end()`` at the start of its `deinit`. From then on the reference
/// no longer reaches the object. A weak reference calls the runtime, and moves the reference counts of its object to a
/// slow path for good. This one reads a number.
///
/// The object is used in its own isolation only. Its last reference may still be released on another thread, as an
/// actor's state can be. Then ``end()`` waits until the use under way is over, so no use sees a partly deallocated
/// object.
public class DeallocationGuard {
  /// The number of uses under way; -1 once the object is deallocated.
  @usableFromInline final let uses = Atomic<Int>(0)
  @usableFromInline final unowned(unsafe) let object: AnyObject

  /// Creates the reference. The object has to call ``end()`` in its `deinit`.
  @inlinable
  init(of object: AnyObject) { self.object = object }

  /// Waits for the use under way to end, then marks the object as being deallocated.
  public final func end() {
    while true {
      let (exchanged, uses) = uses.compareExchange(expected: 0, desired: -1, ordering: .acquiringAndReleasing)
      if exchanged || uses < 0 { return }
      yieldThread()
    }
  }

  /// Whether `end()` was called: the object is being deallocated, or was.
  final var isEnded: Bool { uses.load(ordering: .relaxed) < 0 }

  /// Runs `body` unless the object was deallocated, and retains it meanwhile.
  ///
  /// - Returns: whether `body` was run.
  @inlinable
  @discardableResult
  final func use(_ body: (AnyObject) -> Void) -> Bool {
    let uses = uses.load(ordering: .relaxed)
    // Fails only against `end()`: whatever uses the object runs in one isolation, one after or within the other.
    guard uses >= 0,
      self.uses.compareExchange(expected: uses, desired: uses + 1, ordering: .acquiring).exchanged
    else { return false }
    // On this thread the object may lose its last reference in `body`; retained, it is deallocated afterwards.
    let object = Unmanaged.passRetained(object)
    object._withUnsafeGuaranteedRef(body)
    self.uses.store(uses, ordering: .releasing)
    object.release()
    return true
  }
}

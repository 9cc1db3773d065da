public import Synchronization

/// A weak reference that its object invalidates when it is deallocated. It costs a fifth of a Swift `weak` reference.
///
/// It is public as the superclass of ``BindingTarget``. Outside this module only ``end()`` is called.
///
/// The object creates one `DeallocationGuard` and calls ``end()`` at the start of its `deinit`. After that the
/// reference is invalid. A Swift `weak` reference calls the runtime, and slows down all later retains and releases of
/// its object. A `DeallocationGuard` only reads a number.
///
/// The object is used in its own isolation only. Its last reference may still be released on another thread, as an
/// actor's state can be. Then ``end()`` waits until the current use has ended, so no use sees a partly deallocated
/// object.
public class DeallocationGuard {
  /// The number of current uses; -1 once the object is deallocated.
  @usableFromInline final let uses = Atomic<Int>(0)
  @usableFromInline final unowned(unsafe) let object: AnyObject
  /// The thread that releases the object at the end of a use; 0 for none.
  @usableFromInline final let releaser = Atomic<UInt>(0)

  /// Creates the reference. The object has to call ``end()`` in its `deinit`.
  @inlinable
  init(of object: AnyObject) { self.object = object }

  /// Waits for the current use to end, then marks the object as being deallocated.
  public final func end() {
    while true {
      let (exchanged, count) = uses.compareExchange(expected: 0, desired: -1, ordering: .acquiringAndReleasing)
      if exchanged || count < 0 { return }
      // The end of the use on this thread has released the last reference.
      if releaser.load(ordering: .relaxed) == currentThread() { return uses.store(-1, ordering: .relaxed) }
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
    // Fails only against `end()`: all other users of the object run in one isolation, sequentially or nested.
    guard uses >= 0,
      self.uses.compareExchange(expected: uses, desired: uses + 1, ordering: .acquiring).exchanged
    else { return false }
    // On this thread the object may lose its last reference in `body`; retained, it is deallocated afterwards.
    let object = Unmanaged.passRetained(object)
    object._withUnsafeGuaranteedRef(body)
    // Another thread may have released the last reference before, and waits in `end()`. Then the memory of the object
    // is valid until the use has ended, so the object is released first.
    if uses == 0 { releaser.store(currentThread(), ordering: .relaxed) }
    object.release()
    if uses == 0 { releaser.store(0, ordering: .relaxed) }
    // Fails if the object was deallocated just now.
    _ = self.uses.compareExchange(expected: uses + 1, desired: uses, ordering: .releasing)
    return true
  }
}

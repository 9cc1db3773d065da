public import Synchronization

/// A reference to an object that says when it dies, which makes it five times as cheap as a weak one.
///
/// The object hands out one lifeline and calls ``end()`` at the start of its `deinit`. From then on the lifeline leads
/// nowhere. A weak reference asks the runtime, and moves the counts of its object to a slow path for good; a lifeline
/// asks a number.
///
/// The object is used in its own isolation only. It may still die elsewhere, as what an actor's class holds does when the
/// last reference to it is dropped on a foreign thread. Then ``end()`` waits until the use under way is over, so nobody
/// ever sees a half-dead object.
public class Lifeline {
  /// How many uses are under way; -1 once the object is gone.
  @usableFromInline final let uses = Atomic<Int>(0)
  @usableFromInline final unowned(unsafe) let object: AnyObject

  /// Creates the lifeline of an object. The object has to call ``end()`` in its `deinit`.
  @inlinable
  public init(of object: AnyObject) { self.object = object }

  /// Says that the object dies.
  public final func end() {
    while true {
      let (exchanged, uses) = uses.compareExchange(expected: 0, desired: -1, ordering: .acquiringAndReleasing)
      if exchanged || uses < 0 { return }
      yieldThread()
    }
  }

  /// Whether the object is gone.
  @inlinable
  public final var isEnded: Bool { uses.load(ordering: .relaxed) < 0 }

  /// Runs `body` unless the object is gone, and keeps it alive meanwhile.
  ///
  /// - Returns: whether the object was there.
  @inlinable
  @discardableResult
  final func use(_ body: (AnyObject) -> Void) -> Bool {
    let uses = uses.load(ordering: .relaxed)
    // Fails only against `end()`: whatever uses the object runs in one isolation, one after or within the other.
    guard uses >= 0,
      self.uses.compareExchange(expected: uses, desired: uses + 1, ordering: .acquiring).exchanged
    else { return false }
    // On this thread the object may lose its last reference in `body`; retained, it dies afterwards.
    let object = Unmanaged.passRetained(object)
    object._withUnsafeGuaranteedRef(body)
    self.uses.store(uses, ordering: .releasing)
    object.release()
    return true
  }
}

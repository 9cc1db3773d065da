/// An unretained reference from an observation to the object whose lifetime bounds it.
@usableFromInline
class OwnerReference {
  @inlinable
  init() {}

  /// Whether the object was deallocated.
  var isGone: Bool { false }

  /// Returns whether this is the object.
  func refers(to object: AnyObject) -> Bool { false }
}

/// A reference to an object of any class.
@usableFromInline
final class WeakReference: OwnerReference {
  @usableFromInline weak var object: AnyObject?

  @inlinable
  init(_ object: AnyObject? = nil) {
    self.object = object
    super.init()
  }

  override var isGone: Bool { object == nil }

  override func refers(to other: AnyObject) -> Bool { object === other }
}

/// A reference to an object that announces its deallocation.
final class DeallocationGuardReference: OwnerReference {
  // Unowned, because the `DeallocationGuard` owns this reference. Unsafe, and safe: only entries of a registry use
  // their owner references, and the action of an entry retains the `DeallocationGuard`.
  private unowned(unsafe) let deallocationGuard: DeallocationGuard
  // Not the object itself: to compare it would retain it, and it may be about to die on another thread.
  private let identity: ObjectIdentifier

  init(of deallocationGuard: DeallocationGuard) {
    self.deallocationGuard = deallocationGuard
    identity = ObjectIdentifier(deallocationGuard.object)
    super.init()
  }

  override var isGone: Bool { deallocationGuard.isEnded }

  override func refers(to object: AnyObject) -> Bool {
    identity == ObjectIdentifier(object) && !deallocationGuard.isEnded
  }
}

/// How an observation knows the object whose life bounds it: without retaining it.
@usableFromInline
class OwnerReference {
  @inlinable
  init() {}

  /// Whether the object is gone.
  var isGone: Bool { false }

  /// Whether this is the object.
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

/// A reference to an object that says when it dies.
final class LifelineReference: OwnerReference {
  // Unowned, because the lifeline owns this reference. Unsafe, and safe: only entries of a registry are asked about their
  // owners, and the action of an entry holds the lifeline.
  private unowned(unsafe) let lifeline: Lifeline
  // Not the object itself: to compare it would retain it, and it may be about to die on another thread.
  private let identity: ObjectIdentifier

  init(of lifeline: Lifeline) {
    self.lifeline = lifeline
    identity = ObjectIdentifier(lifeline.object)
    super.init()
  }

  override var isGone: Bool { lifeline.isEnded }

  override func refers(to object: AnyObject) -> Bool { identity == ObjectIdentifier(object) && !lifeline.isEnded }
}

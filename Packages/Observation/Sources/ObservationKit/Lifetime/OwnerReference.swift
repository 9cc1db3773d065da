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
  init(_ object: AnyObject) {
    self.object = object
    super.init()
  }

  override var isGone: Bool { object == nil }

  override func refers(to other: AnyObject) -> Bool { object === other }
}

/// A reference to an object that says when it dies.
final class LifelineReference: OwnerReference {
  private let lifeline: Lifeline

  init(_ lifeline: Lifeline) {
    self.lifeline = lifeline
    super.init()
  }

  override var isGone: Bool { lifeline.isEnded }

  override func refers(to object: AnyObject) -> Bool { !lifeline.isEnded && lifeline.object === object }
}

/// The way by which bindings reach an object that follows them: what ``ValueObserver/bindingEnd`` offers.
///
/// ```swift
/// final class Dial: ValueObserver {
///   var angle = 0.0
///   private(set) lazy var bindingEnd: BindingEnd<Double>? = BindingEnd(of: self) { [unowned self] angle, _ in
///     self.angle = angle
///   }
///   deinit { bindingEnd?.end() }
///   func valueChanged(from old: Double, to new: Double, observable: any ValueObservable<Double>) { angle = new }
/// }
/// ```
public final class BindingEnd<Value>: Lifeline {
  @usableFromInline let take: (Value, BindingArrival) -> Void
  /// How observations know the object.
  @usableFromInline private(set) lazy var reference: OwnerReference = LifelineReference(self)

  /// Creates the end of an object's bindings.
  ///
  /// - Parameters:
  ///   - object: the object that follows. It has to call ``Lifeline/end()`` in its `deinit`.
  ///   - take: takes a value that arrived. Capture the object `unowned(unsafe)`: it is alive whenever this is called.
  @inlinable
  public init(of object: AnyObject, take: @escaping (Value, BindingArrival) -> Void) {
    self.take = take
    super.init(of: object)
  }

  /// Hands over the value that a source delivers, if the object is still there.
  @inlinable
  func deliver(_ value: Value, from source: AnyObservationRegistry) {
    deliver(value, stamp: source.deliveredStamp, from: source)
  }

  @inlinable
  func deliver(_ value: Value, stamp: ChangeStamp, from source: AnyObservationRegistry) {
    if source.hops < AnyObservationRegistry.hopLimit {
      let arrival = BindingArrival(stamp: stamp, source: source)
      if !use({ _ in take(value, arrival) }) { source.sweepOrphans() }
    } else {
      source.deferToRoot { [self] root in
        use { _ in take(value, BindingArrival(stamp: stamp, source: root)) }
      }
    }
  }
}

/// How a value came through a binding: when it was set, and over which way.
public struct BindingArrival {
  /// When the value was set at its origin. Take the value only if this is newer than the last change.
  public let stamp: ChangeStamp
  @usableFromInline unowned(unsafe) let source: AnyObservationRegistry

  @inlinable
  init(stamp: ChangeStamp, source: AnyObservationRegistry) {
    self.stamp = stamp
    self.source = source
  }

  /// Passes the value on to the observers of the object that took it. Set the object's value in `body`.
  ///
  /// - Parameter registry: the observers of the object that took the value.
  @inlinable
  public func passOn(to registry: AnyObservationRegistry, _ body: () -> Void) {
    registry.arrivalHops = source.hops + 1
    registry.arrivalRoot = source.root ?? source
    body()
    registry.arrivalHops = 0
    registry.arrivalRoot = nil
  }
}

/// The end of the bindings to an object, as offered by ``ValueObserver/bindingEnd``.
///
/// ``ValueSource`` and fields have one. Write one only for an observable of your own whose bindings have to be as fast.
/// It is public because the code of bindings is inlined in the modules that use it.
///
/// ```swift
/// final class Dial: ValueObserver {
///   var angle = 0.0
///   private(set) lazy var bindingEnd: BindingEnd<Double>? = BindingEnd(of: self) { dial, angle, _ in dial.angle = angle }
///   deinit { bindingEnd?.end() }
///   func valueChanged(from old: Double, to new: Double, observable: any ValueObservable<Double>) { angle = new }
/// }
/// ```
public final class BindingEnd<Value>: DeallocationGuard {
  @usableFromInline let take: (AnyObject, Value, BindingArrival) -> Void
  /// The reference through which observations identify the object.
  @usableFromInline private(set) lazy var reference: OwnerReference = DeallocationGuardReference(of: self)

  /// Creates the end of an object's bindings.
  ///
  /// - Parameters:
  ///   - object: the object that follows. It has to call ``DeallocationGuard/end()`` in its `deinit`.
  ///   - take: takes a value that arrived. It gets the object, so that there is nothing to capture.
  @inlinable
  public init<Object: AnyObject>(of object: Object, take: @escaping (Object, Value, BindingArrival) -> Void) {
    self.take = { object, value, arrival in take(unsafeDowncast(object, to: Object.self), value, arrival) }
    super.init(of: object)
  }

  /// Passes a value to the object, unless it was deallocated.
  @inlinable
  func deliver(_ value: Value, stamp: ChangeStamp, from source: AnyObservationRegistry) {
    let arrival = BindingArrival(stamp: stamp, source: source)
    if !use({ take($0, value, arrival) }) { source.sweepOrphans() }
  }
}

/// The arrival of a value through a binding: its stamp and its source. Valid only in the closure that gets it.
///
/// It is public as a parameter of the closure of a ``BindingEnd``.
public struct BindingArrival {
  /// When the value was set at its origin. Take the value only if this is newer than the last change.
  public let stamp: ChangeStamp
  // Unmanaged, and safe: the source delivers as long as an arrival is at hand.
  @usableFromInline let source: Unmanaged<AnyObservationRegistry>

  @inlinable
  init(stamp: ChangeStamp, source: AnyObservationRegistry) {
    self.stamp = stamp
    self.source = Unmanaged.passUnretained(source)
  }

  /// Passes the value on to the observers of the object that took it. Set the object's value in `body`.
  ///
  /// - Parameters:
  ///   - registry: the observers of the object that took the value.
  ///   - body: sets the value of the object.
  @inlinable
  public func passOn(to registry: AnyObservationRegistry, _ body: () -> Void) {
    // Restored afterwards: `body` may run another binding's delivery here before it reaches its own set.
    let (outerHops, outerRoot) = (registry.arrivalHops, registry.arrivalRoot)
    source._withUnsafeGuaranteedRef {
      registry.arrivalHops = $0.hops + 1
      registry.arrivalRoot = $0.root ?? source
    }
    body()
    registry.arrivalHops = outerHops
    registry.arrivalRoot = outerRoot
  }
}

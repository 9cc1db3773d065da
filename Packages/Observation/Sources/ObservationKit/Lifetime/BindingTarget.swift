/// The target of all bindings to one object, returned by ``ValueObserver/bindingTarget``.
///
/// ``ValueSource`` and fields have one. Create one for an observable of your own only if its bindings have to be as
/// fast as those of fields. It is public because the code of bindings is inlined into other modules.
///
/// ```swift
/// final class Dial: ValueObserver {
///   var angle = 0.0
///   private(set) lazy var bindingTarget: BindingTarget<Double>? =
///     BindingTarget(of: self) { dial, angle, _ in dial.angle = angle }
///   deinit { bindingTarget?.end() }
///   func valueChanged(
///     from old: Double, to new: Double, observable: any ValueObservable<Double>
///   ) {
///     angle = new
///   }
/// }
/// ```
public final class BindingTarget<Value>: DeallocationGuard {
  @usableFromInline let take: (AnyObject, Value, BindingArrival) -> Void
  /// The reference by which observations identify the object.
  @usableFromInline private(set) lazy var reference: OwnerReference = DeallocationGuardReference(of: self)

  /// Creates the target of an object's bindings.
  ///
  /// - Parameters:
  ///   - object: the object that receives the values. It has to call ``DeallocationGuard/end()`` in its `deinit`.
  ///   - take: sets a received value. It gets the object as a parameter, so it need not capture it.
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

/// The delivery of a value through a binding: its stamp and its source. Valid only in the closure that gets it.
///
/// It is public as a parameter of the closure of a ``BindingTarget``.
public struct BindingArrival {
  /// The time at which the value was set at its origin. Set the value only if this is newer than the last change.
  public let stamp: ChangeStamp
  // Unmanaged, and safe: an arrival is valid only while its source delivers.
  @usableFromInline let source: Unmanaged<AnyObservationRegistry>

  @inlinable
  init(stamp: ChangeStamp, source: AnyObservationRegistry) {
    self.stamp = stamp
    self.source = Unmanaged.passUnretained(source)
  }

  /// Notifies the observers of the object that accepted the value. Set the object's value in `body`.
  ///
  /// - Parameters:
  ///   - registry: the observers of the object that accepted the value.
  ///   - body: sets the value of the object.
  @inlinable
  public func forward(to registry: AnyObservationRegistry, _ body: () -> Void) {
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

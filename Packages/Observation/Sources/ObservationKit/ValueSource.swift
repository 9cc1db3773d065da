/// The plain observable: a value that can be set, and observed or bound.
///
/// ```swift
/// let volume = ValueSource(3)
/// volume --> { print("now", $0) }
/// volume.value = 4
/// ```
///
/// - Note: Not `Sendable`. It belongs to one isolation together with its observers.
public final class ValueSource<Value>: ValueObservable, ValueObserver {
  /// The observers of this value.
  public let observations = ObservationRegistry<Value>()
  @usableFromInline let isChange: (Value, Value) -> Bool
  /// When the value was last set, to a different one or not.
  @exclusivity(unchecked) @usableFromInline var updatedAt = ChangeStamp.never
  @exclusivity(unchecked) @usableFromInline var storage: Value
  @usableFromInline var end: BindingTarget<Value>?
  /// Whether the value was read inside `withObservationTracking`.
  @exclusivity(unchecked) @usableFromInline var isTracked = false
  private var tracker: ReadTracker?

  /// Creates a source. Values that can't be compared count as changed on every set.
  ///
  /// - Parameter initial: the first value.
  @inlinable
  public init(_ initial: Value) {
    storage = initial
    isChange = { _, _ in true }
  }

  /// Creates a source of comparable values. Observers are notified when the value differs.
  ///
  /// - Parameter initial: the first value.
  @inlinable
  public init(_ initial: Value) where Value: Equatable {
    storage = initial
    isChange = { $0 != $1 }
  }

  /// The current value. Setting it notifies the observers before the setter returns.
  @inlinable
  public var value: Value {
    get {
      if FieldObservation.isEnabled { noteRead() }
      return storage
    }
    set { set(newValue, stamp: .next()) }
  }

  /// The end of the bindings to this source.
  @inlinable
  public var bindingTarget: BindingTarget<Value>? {
    if let end { return end }
    let end = BindingTarget<Value>(of: self) { source, value, arrival in
      if arrival.stamp > source.updatedAt {
        arrival.forward(to: source.observations) { source.set(value, stamp: arrival.stamp) }
      }
    }
    self.end = end
    return end
  }

  /// Takes over the new value of another observable.
  @inlinable
  public func valueChanged(from oldValue: Value, to newValue: Value, observable: any ValueObservable<Value>) {
    if observable.isUnset { return }
    let stamp = observable.observations.stamp
    if stamp == .never {
      // The initial copy of a binding: the source wins, however old its value is.
      set(newValue, stamp: .next())
    } else if stamp > updatedAt {
      set(newValue, stamp: stamp)
    }
  }

  @inlinable
  func set(_ newValue: Value, stamp: ChangeStamp) {
    let oldValue = storage
    let isChange = isChange(oldValue, newValue)
    if isTracked, isChange {
      storeAndTell(newValue)
    } else {
      storage = newValue
    }
    updatedAt = stamp
    observations.notify(from: oldValue, to: newValue, isChange: isChange, stamp: stamp) { !self.isChange($0, $1) }
  }

  @usableFromInline
  func noteRead() {
    ReadTracker.noteRead(&tracker)
    isTracked = tracker != nil
  }

  @usableFromInline
  func storeAndTell(_ newValue: Value) {
    tracker?.willSet()
    storage = newValue
    tracker?.didSet()
  }

  deinit { end?.end() }
}

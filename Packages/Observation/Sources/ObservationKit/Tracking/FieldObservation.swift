import Synchronization

/// A switch that makes reads of observables visible to Swift's own Observation, and so to SwiftUI.
///
/// ```swift
/// FieldObservation.isEnabled = true
/// let volume = ValueSource(3)
/// withObservationTracking {
///   print(volume.value)
/// } onChange: {
///   print("louder or quieter")
/// }
/// volume.value = 4  // louder or quieter
/// ```
///
/// Swift calls `onChange` once, on the thread that sets, just before the value changes. In a ``transaction(_:)`` it is
/// called at the first set, and not at the end.
public enum FieldObservation {
  /// Whether reads inside `withObservationTracking` are tracked. The default is true where SwiftUI can be imported, and
  /// false elsewhere.
  ///
  /// While it is off, a read costs one relaxed load. While it is on, a read also checks whether the thread tracks. An
  /// observable that was read under tracking reports each of its later changes, at a cost; other observables don't.
  ///
  /// The switch holds for the process and may be set on any thread. Reads that were tracked before it is switched off
  /// still report their change.
  public static var isEnabled: Bool {
    // Loading a byte releases nothing. With this annotation the compiler reads a field without a retain. Without it the
    // compiler sees only the computed address of a global, and adds a retain, which costs ten times as much as the
    // load.
    @inline(never) @_effects(releasenone)
    get { trackingSwitch.load(ordering: .relaxed) }
    set { trackingSwitch.store(newValue, ordering: .relaxed) }
  }
}

#if canImport(SwiftUI)
  private let trackingSwitch = Atomic<Bool>(true)
#else
  private let trackingSwitch = Atomic<Bool>(false)
#endif

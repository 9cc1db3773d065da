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
/// What `onChange` does is Swift's affair: it runs once, on the thread that sets, just before the value changes. In a
/// ``transaction(_:)`` it runs at the first set, and not at the end.
public enum FieldObservation {
  /// Whether reads inside `withObservationTracking` are seen. True at first where SwiftUI can be imported, otherwise false.
  ///
  /// Off, reading a value costs one relaxed load more. On, it costs the question whether somebody tracks. An observable
  /// that was read under tracking once pays for it on every change from then on; others never do.
  ///
  /// One switch for the process, to be set by any thread. Switched off, what is tracked already still tells.
  public static var isEnabled: Bool {
    // To load a byte releases nothing. Where the compiler knows it, reading a field needs no retain; where it sees the
    // address of a global being computed instead, it does not know, and the retain costs ten times as much as the load.
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

import Observation

/// A probe that detects whether its thread is inside `withObservationTracking`, for which Swift has no public function.
///
/// Inside `withObservationTracking` a registrar inserts the key path of an access into a set. Outside it does nothing.
/// Inserting hashes the key path, and hashing a key path with a subscript hashes the subscript's argument. The probe
/// accesses such a key path, and the argument's `hash(into:)` marks the probe.
///
/// Swift's tracking retains the state of the registrar that was accessed, until it reports a change or the registrar is
/// deallocated. So the probe accesses a registrar without an observable. If the thread tracks, the observable takes
/// that registrar over. The access of the probe is released with it, and never reported, because the key path is never
/// set.
final class TrackingProbe {
  /// The probe of each thread, which is replaced once its registrar is taken.
  private static let threadProbe = ThreadLocal(owning: TrackingProbe.self)

  private let registrar = ObservationRegistrar()
  @exclusivity(unchecked) private var isMarked = false

  private init() {}

  /// Returns a new registrar that is registered with the tracking of this thread; nil if the thread does not track.
  static func newRegistrar() -> ObservationRegistrar? {
    let isTracking = withCurrent { $0.isTracked(by: $0.registrar) }
    return isTracking || !isReliable ? takeCurrent().registrar : nil
  }

  /// Returns whether this thread is inside `withObservationTracking`.
  ///
  /// - Parameter registrar: the registrar of an observable that is being read. If the thread tracks, it is registered
  ///   with the tracking.
  static func isTracking(through registrar: ObservationRegistrar) -> Bool {
    withCurrent { $0.isTracked(by: registrar) } || !isReliable
  }

  /// Whether registrars work as described above. If those of a later Swift version don't, every read counts as tracked.
  private static let isReliable = withObservationTracking {
    withCurrent { $0.isTracked(by: $0.registrar) }
  } onChange: {
  }

  private func isTracked(by registrar: ObservationRegistrar) -> Bool {
    isMarked = false
    registrar.access(Subject.only, keyPath: Subject.marking)
    return isMarked
  }

  // Unmanaged, here and below, because this runs at every read: a retain and a release cost more than the check.
  private static func withCurrent<Result>(_ body: (TrackingProbe) -> Result) -> Result {
    if let pointer = threadProbe.pointer {
      return Unmanaged<TrackingProbe>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
    }
    let probe = TrackingProbe()
    threadProbe.pointer = Unmanaged.passRetained(probe).toOpaque()
    return body(probe)
  }

  private static func takeCurrent() -> TrackingProbe {
    guard let pointer = threadProbe.pointer else { return TrackingProbe() }
    threadProbe.pointer = nil
    return Unmanaged<TrackingProbe>.fromOpaque(pointer).takeRetainedValue()
  }

  /// The observable that the probe accesses.
  private final class Subject: Observable, Sendable {
    static let only = Subject()
    static let marking: any KeyPath<Subject, Bool> & Sendable = \Subject.[Mark(id: 1)]

    subscript(mark: Mark) -> Bool { true }
  }

  /// A subscript argument that marks the probe of the thread that hashes it.
  private struct Mark: Hashable, Sendable {
    let id: Int

    func hash(into hasher: inout Hasher) {
      hasher.combine(id)
      TrackingProbe.withCurrent { $0.isMarked = true }
    }
  }
}

public import Observation

/// Finds out whether a thread is inside `withObservationTracking`, of which Swift has no public word.
///
/// A registrar that is accessed there puts the key path into a set, and outside it does nothing. To put it into a set is to
/// hash it, and to hash a key path with a subscript is to hash the subscript's argument. So the argument leaves a mark.
///
/// What is tracked holds on to the registrar that was asked, until it tells or the registrar dies. So the question is asked
/// of one that belongs to nobody yet, and the observable that gets the answer yes gets the registrar too. What the probe
/// left in it goes with that observable, and is never told of, because nobody ever sets what the probe read.
@_spi(ModelKitInternals)
public final class TrackingProbe {
  /// The probe of each thread, which is replaced once its registrar is taken.
  private static let threadProbe = ThreadLocal(owning: TrackingProbe.self)

  private let registrar = ObservationRegistrar()
  @exclusivity(unchecked) private var isMarked = false

  private init() {}

  /// A registrar that is known to whoever tracks on this thread; nil if nobody does.
  public static func newRegistrar() -> ObservationRegistrar? {
    let isTracking = withCurrent { $0.isTracked(by: $0.registrar) }
    return isTracking || !isReliable ? takeCurrent().registrar : nil
  }

  /// Whether somebody tracks on this thread.
  ///
  /// - Parameter registrar: of an observable that is being read. If somebody tracks it becomes known to them.
  public static func isTracking(through registrar: ObservationRegistrar) -> Bool {
    withCurrent { $0.isTracked(by: registrar) } || !isReliable
  }

  /// Whether registrars work as described above. If those of some future do not, every read counts as tracked.
  private static let isReliable = withObservationTracking {
    withCurrent { $0.isTracked(by: $0.registrar) }
  } onChange: {
  }

  private func isTracked(by registrar: ObservationRegistrar) -> Bool {
    isMarked = false
    registrar.access(Subject.only, keyPath: Subject.marking)
    return isMarked
  }

  // Unmanaged, here and below, because this is asked at every read: to retain and release costs more than the question.
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

  /// What the probe reads.
  private final class Subject: Observable, Sendable {
    static let only = Subject()
    static let marking: any KeyPath<Subject, Bool> & Sendable = \Subject.[Mark(id: 1)]

    subscript(mark: Mark) -> Bool { true }
  }

  /// Says on the thread on which it is hashed that it was.
  private struct Mark: Hashable, Sendable {
    let id: Int

    func hash(into hasher: inout Hasher) {
      hasher.combine(id)
      TrackingProbe.withCurrent { $0.isMarked = true }
    }
  }
}

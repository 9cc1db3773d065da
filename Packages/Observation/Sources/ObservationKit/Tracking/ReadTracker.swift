public import Observation

/// The state that an observable read under tracking needs to report its changes.
@_spi(ModelKitInternals)
public final class ReadTracker: Observable {
  /// The registrar that tracking closures are registered with.
  public let registrar: ObservationRegistrar
  /// The properties that were read under tracking, a bit for each. Changes of other properties are not reported.
  public private(set) var properties: UInt8
  /// The properties for which `willSet` was reported, and `didSet` not yet.
  public var announced: UInt8 = 0

  private init(_ registrar: ObservationRegistrar, properties: UInt8) {
    self.registrar = registrar
    self.properties = properties
  }

  /// Returns the tracker that has to register a read.
  ///
  /// - Parameters:
  ///   - properties: the properties that are read, a bit for each.
  ///   - known: the tracker that the observable already has.
  /// - Returns: the tracker whose registrar has to register the access, a new one if `known` is nil; nil if the read is
  ///   not tracked.
  public static func ofRead(_ properties: UInt8, known: ReadTracker?) -> ReadTracker? {
    guard let known else {
      return TrackingProbe.newRegistrar().map { ReadTracker($0, properties: properties) }
    }
    if known.properties & properties == properties { return known }
    guard TrackingProbe.isTracking(through: known.registrar) else { return nil }
    known.properties |= properties
    return known
  }
}

// For observables with one property, which `value` stands for. A key path of a generic class would be created at each
// use.
extension ReadTracker {
  private var value: Void { () }

  /// Registers a read of the value if the thread tracks. Creates the tracker if there is none.
  public static func noteRead(_ tracker: inout ReadTracker?) {
    guard let known = ofRead(1, known: tracker) else { return }
    tracker = known
    known.registrar.access(known, keyPath: \.value)
  }

  /// Reports that the value will be set.
  public func willSet() { registrar.willSet(self, keyPath: \.value) }

  /// Reports that the value was set.
  public func didSet() { registrar.didSet(self, keyPath: \.value) }
}

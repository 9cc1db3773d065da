public import Observation

/// The state that an observable read under tracking needs to report its changes.
@_spi(ModelKitInternals)
public final class ReadTracker: Observable {
  /// Knows who tracks.
  public let registrar: ObservationRegistrar
  /// The properties that were read under tracking, a bit for each: only these are worth telling of.
  public private(set) var properties: UInt8
  /// The properties of which it was told that they will be set, and not yet that they are.
  public var announced: UInt8 = 0

  private init(_ registrar: ObservationRegistrar, properties: UInt8) {
    self.registrar = registrar
    self.properties = properties
  }

  /// Finds out whether a read concerns anybody.
  ///
  /// - Parameters:
  ///   - properties: what is read, a bit for each property.
  ///   - known: the tracker that the observable has already.
  /// - Returns: the tracker whose registrar is to be told of the access, a new one if `known` is nil; nil if there is
  ///   nobody to be told.
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

// For observables with one property, which then is this one. A key path of a generic class would be made anew each time.
@_spi(ModelKitInternals)
extension ReadTracker {
  private var value: Void { () }

  /// Notes that the value is read, with a tracker that is made if somebody tracks.
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

public import Observation
@_spi(ModelKitInternals) import ObservationKit

/// The properties of a field that can be read under tracking. Each has its own key path in the registrar.
struct TrackedProperties: OptionSet {
  let rawValue: UInt8

  static let value = TrackedProperties(rawValue: 1)
  static let validationState = TrackedProperties(rawValue: 1 << 1)
  static let loadState = TrackedProperties(rawValue: 1 << 2)
  static let isDirty = TrackedProperties(rawValue: 1 << 3)
  static let updatedAt = TrackedProperties(rawValue: 1 << 4)
}

/// Reads inside `withObservationTracking`, and so in the `body` of a SwiftUI view, are tracked: see
/// ``FieldObservation``.
extension AnyField: Observation.Observable {}

extension AnyField {
  /// Records a read of the value.
  @usableFromInline
  final func noteRead() { noteRead(of: .value) }

  /// Records a read of properties, if tracking is enabled.
  @inline(__always)
  final func noteRead(of properties: TrackedProperties) {
    if FieldObservation.isEnabled { noteReadIfTracked(of: properties) }
  }

  private func noteReadIfTracked(of properties: TrackedProperties) {
    let known = details?.tracker
    guard let tracker = ReadTracker.ofRead(properties.rawValue, known: known) else { return }
    if known == nil {
      detailsForWriting.tracker = tracker
      flags.formUnion(.tracked)
    }
    notify(tracker.registrar, .access, properties)
  }
}

@_spi(ModelKitInternals)
extension AnyField {
  /// Records a read of the value that does not go through ``Field/value``.
  public final func noteValueRead() { noteRead(of: .value) }

  /// Begins to record reads of the value of a field that is not used otherwise, such as one of a prototype.
  public final func recordReads() { flags.formUnion([.recordsReads, .hooksGet]) }

  /// Ends the recording that ``recordReads()`` began.
  ///
  /// - Returns: whether the value was read.
  public final func endRecordingReads() -> Bool {
    defer { flags.subtract([.recordsReads, .hooksGet, .wasRead]) }
    return flags.contains(.wasRead)
  }

  /// Announces that the value is about to be set. ``markSet(isChange:stamp:)`` announces it too, but only after the
  /// value was stored.
  public final func prepareToSet(isChange: Bool) {
    if flags.contains(.tracked) { announceSet(isChange: isChange) }
  }

  /// Updates all states that a set updates. It neither stores the value nor notifies the observers of the value.
  ///
  /// - Parameter isRead: whether the value was read. A read value does not make the field dirty.
  public final func markSet(isChange: Bool, stamp: ChangeStamp, isRead: Bool = false) {
    if flags.isDisjoint(with: .notifying) {
      setStates(isChange: isChange, stamp: stamp, isRead: isRead)
    } else {
      setStatesAndTell(isChange: isChange, stamp: stamp, isRead: isRead)
    }
  }

  /// Whether the field was never set and has no observers, apart from an owner that waits for changes.
  public final var isUntouched: Bool {
    unmanagedDetails == nil && updatedStamp == .never
      && flags.isDisjoint(with: [.tracked, .ownerFollows, .reportsSets, .dirty])
  }

  /// Whether a set runs no code outside the field, apart from a domain.
  public final var isUnobserved: Bool {
    unmanagedDetails == nil && flags.isDisjoint(with: [.tracked, .reportsSets])
  }

  /// Marks an untouched field as read, without notifying observers.
  ///
  /// - Parameters:
  ///   - isChange: whether the value differs from the initial one.
  ///   - stamp: the time of the read.
  ///   - isSource: whether the field itself was read, and not the inverse of a relation.
  public final func markReadUntouched(isChange: Bool, stamp: ChangeStamp, isSource: Bool) {
    setStates(isChange: isChange, stamp: stamp, isRead: true)
    if isSource { flags.formUnion(.original) }
  }
}

extension AnyField {
  @usableFromInline
  final func announceSet(isChange: Bool) {
    guard let tracker = details?.tracker else { return }
    var properties: TrackedProperties = .updatedAt
    if isChange {
      properties.insert(.value)
      if !flags.contains(.dirty) { properties.insert(.isDirty) }
    }
    if !flags.isDisjoint(with: .validationStateMask) { properties.insert(.validationState) }
    if updatedStamp == .never || flags.intersection(.loadStateMask) != .loaded { properties.insert(.loadState) }
    tracker.announced = announceChange(of: properties).rawValue
  }

  @usableFromInline
  final func setStatesAndTell(isChange: Bool, stamp: ChangeStamp, isRead: Bool = false) {
    let tracker = details?.tracker
    if let tracker, tracker.announced == 0 { announceSet(isChange: isChange) }
    setStates(isChange: isChange, stamp: stamp, isRead: isRead)
    if flags.contains(.watched) { announceStates() }
    concludeSet()
  }

  /// Announces that the set announced by `announceSet` is complete.
  final func concludeSet() {
    guard let tracker = details?.tracker else { return }
    let announced = TrackedProperties(rawValue: tracker.announced)
    tracker.announced = 0
    concludeChange(of: announced)
  }

  @inlinable
  final func setStates(isChange: Bool, stamp: ChangeStamp, isRead: Bool = false) {
    updatedStamp = stamp
    flags.subtract(.stale)
    flags.formUnion(.loaded)
    if isChange {
      changedStamp = stamp
      if !isRead { flags.formUnion(.dirty) }
    }
  }

  /// Announces a change that is about to happen.
  ///
  /// - Returns: the tracked properties among them, for ``concludeChange(of:)``.
  final func announceChange(of properties: TrackedProperties) -> TrackedProperties {
    guard let tracker = details?.tracker else { return [] }
    let tracked = properties.intersection(TrackedProperties(rawValue: tracker.properties))
    notify(tracker.registrar, .willSet, tracked)
    return tracked
  }

  /// Announces that an announced change is complete.
  final func concludeChange(of properties: TrackedProperties) {
    guard !properties.isEmpty, let tracker = details?.tracker else { return }
    notify(tracker.registrar, .didSet, properties)
  }

  private enum Event { case access, willSet, didSet }

  // Key paths of the superclass: a key path of a generic class would be created again at each use.
  private func notify(_ registrar: ObservationRegistrar, _ event: Event, _ properties: TrackedProperties) {
    if properties.contains(.value) { notify(registrar, event, \.anyValue) }
    if properties.contains(.validationState) { notify(registrar, event, \.validationState) }
    if properties.contains(.loadState) { notify(registrar, event, \.loadState) }
    if properties.contains(.isDirty) { notify(registrar, event, \.isDirty) }
    if properties.contains(.updatedAt) { notify(registrar, event, \.updatedAt) }
  }

  private func notify<Member>(_ registrar: ObservationRegistrar, _ event: Event, _ keyPath: KeyPath<AnyField, Member>) {
    switch event {
    case .access: registrar.access(self, keyPath: keyPath)
    case .willSet: registrar.willSet(self, keyPath: keyPath)
    case .didSet: registrar.didSet(self, keyPath: keyPath)
    }
  }
}

/// The value and the states of a field at one moment, to be reinstated later.
@_spi(ModelKitInternals)
open class FieldState {
  private let flags: FieldFlags
  private let restoration: ((AnyField) -> Bool)?
  private let loadError: (any Error)?
  /// The time of the last change then.
  public let lastChange: ChangeStamp
  private let lastUpdate: ChangeStamp
  private static let captured: FieldFlags = [.dirty, .initial, .original, .reverted, .loadStateMask]

  /// Captures the states of a field.
  public init(of field: AnyField) {
    flags = field.flags.intersection(Self.captured)
    restoration = field.details?.restoration
    loadError = field.details?.loadError
    lastChange = field.lastChange
    lastUpdate = field.updatedStamp
  }

  /// Whether the field was dirty.
  public final var isDirty: Bool { flags.contains(.dirty) }

  /// Returns whether the states of a field are those that were captured, as far as reads and saves change them.
  public final func hasStates(of field: AnyField) -> Bool {
    let relevant: FieldFlags = [.dirty, .original]
    return flags.intersection(relevant) == field.flags.intersection(relevant)
      && (restoration == nil) == (field.details?.restoration == nil)
  }

  /// Returns whether a field was neither changed, nor read, nor saved since its state was captured.
  public final func isCurrent(of field: AnyField) -> Bool {
    flags.subtracting(.reverted) == field.flags.intersection(Self.captured.subtracting(.reverted))
      && lastChange == field.lastChange
      && lastUpdate == field.updatedStamp
  }

  /// Returns whether another state is the same, apart from the value.
  open func hasSameStates(as other: FieldState) -> Bool {
    flags.symmetricDifference(other.flags).isSubset(of: .reverted)
      && (restoration == nil) == (other.restoration == nil)
  }

  /// The value, without its static type.
  open var anyValue: Any? { nil }

  /// Returns whether another state has an equal value. Values that can't be compared count as equal if the field was
  /// not changed in between.
  open func hasValue(of other: FieldState) -> Bool { false }

  /// Returns whether another state has an equal value, or one that can't be compared.
  open func mayHaveValue(of other: FieldState) -> Bool { hasValue(of: other) }

  fileprivate func reinstate(on field: AnyField, stamp: ChangeStamp) {
    field.flags.subtract([Self.captured, .validationStateMask, .hasForeignStamps])
    field.flags.formUnion(flags)
    if restoration != nil || field.details?.restoration != nil { field.detailsForWriting.restoration = restoration }
    if loadError != nil || field.details?.loadError != nil { field.detailsForWriting.loadError = loadError }
    field.updatedStamp = stamp
    field.changedStamp = stamp
  }
}

@_spi(ModelKitInternals)
extension AnyField {
  /// Calls a closure that stores the value of a captured state, and then reinstates the states: whether the field is
  /// dirty, and its baseline.
  ///
  /// The stamps have the present time, so that the value counts as newer than the one it replaces.
  public final func reinstateStates(_ state: FieldState, stamp: ChangeStamp, storing store: () -> Void) {
    let announced = announceChange(of: [.value, .validationState, .loadState, .isDirty, .updatedAt])
    store()
    state.reinstate(on: self, stamp: stamp)
    if flags.contains(.watched) { announceStates() }
    concludeChange(of: announced)
  }

  /// Restores the time of the last change of a captured state, whose value the field has again. A save that began after
  /// that time then saves the value.
  public final func reinstateLastChange(_ state: FieldState) {
    flags.subtract(.hasForeignStamps)
    changedStamp = state.lastChange
    // Its result may depend on other changes.
    details?.check = nil
  }
}

/// The state of a field with one value.
final class ValueState<Content>: FieldState {
  let value: Content?
  // Not the field, which would be retained.
  private let equality: ValueEquality<Content>.Type?

  init(of field: Field<Content>) {
    value = field.storage
    equality = field.equality
    super.init(of: field)
  }

  override var anyValue: Any? { value }

  override func hasValue(of other: FieldState) -> Bool {
    isEqual(other, ifIncomparable: lastChange == other.lastChange)
  }

  override func mayHaveValue(of other: FieldState) -> Bool { isEqual(other, ifIncomparable: true) }

  private func isEqual(_ other: FieldState, ifIncomparable: Bool) -> Bool {
    guard let other = other as? ValueState else { return false }
    return switch (value, other.value) {
    case (nil, nil): true
    case (let one?, let other?): equality?.areEqual(one, other) ?? ifIncomparable
    default: false
    }
  }
}

extension Field {
  final func reinstateValue(_ state: FieldState, exactly isExact: Bool, marksClean: Bool) {
    guard let state = state as? ValueState<Content> else { return }
    let oldValue = storage
    let isChange = isChange(from: oldValue, to: state.value)
    guard isExact else {
      if isChange { setHooked(state.value, stamp: .next()) }
      if marksClean { markValueCleanIfReverted() }
      return
    }
    noteComingEdit()
    let stamp = ChangeStamp.next()
    reinstateStates(state, stamp: stamp) { storage = state.value }
    if flags.contains(.reportsSets) { reportSet(from: oldValue, to: state.value) }
    if updatedStamp == stamp { announce(from: oldValue, to: state.value, isChange: isChange, stamp: stamp) }
  }

  /// Marks the field as clean if its value equals the baseline.
  private func markValueCleanIfReverted() {
    if isDirty, hasSavedValue { markSaved(asOf: changedStamp) }
  }
}

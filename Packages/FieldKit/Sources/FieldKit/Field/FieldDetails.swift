@_spi(ModelKitInternals) import ObservationKit

/// Rarely needed state of a field, created when it is first needed.
@usableFromInline
final class FieldDetails {
  /// The observers of the value; always of the field's own type, see `Field.observations`. Unmanaged, because to retain
  /// it for every set would cost as much as an observer.
  @exclusivity(unchecked) @usableFromInline var registry: Unmanaged<AnyObservationRegistry>?
  var violations: [RuleViolation] = []
  /// The last check by asynchronous rules.
  var check: FieldCheck?
  var loadError: (any Error)?
  /// A closure that reverts the field to its baseline; returns whether it could.
  var restoration: ((AnyField) -> Bool)?
  /// When an unsaved value was set in this field, if its time stamps are from elsewhere.
  var editStamp = ChangeStamp.never
  /// State that depends on the type of the value: see `FieldExtras`.
  var extras: AnyObject?
  /// The end through which bindings set the field.
  var bindingTarget: DeallocationGuard?
  var validationStates: ObservableState<ValidationState>?
  var loadStates: ObservableState<LoadState>?
  /// Notifies the readers that read the field under tracking.
  var tracker: ReadTracker?

  /// Called when the field is deallocated.
  deinit {
    bindingTarget?.end()
    check?.cancel()
    registry?.release()
  }
}

extension AnyField {
  final var details: FieldDetails? { unmanagedDetails?.takeUnretainedValue() }

  @usableFromInline
  final var detailsForWriting: FieldDetails {
    if let details { return details }
    let details = FieldDetails()
    unmanagedDetails = Unmanaged.passRetained(details)
    return details
  }

  /// Whether the value has a registry of observers, because it was observed at some time.
  final var hasRegistry: Bool { unmanagedDetails?._withUnsafeGuaranteedRef { $0.registry != nil } ?? false }

  /// The target through which bindings set the field, if a binding was made.
  @usableFromInline
  final var knownBindingTarget: DeallocationGuard? {
    get { details?.bindingTarget }
    set { detailsForWriting.bindingTarget = newValue }
  }
}

@_spi(ModelKitInternals) import ObservationKit

/// What not every field has, made when it is first needed.
@usableFromInline
final class FieldDetails {
  /// The observers of the value; always of the field's own type, see `Field.observations`. Unmanaged, because to retain
  /// it for every set would cost as much as an observer.
  @exclusivity(unchecked) @usableFromInline var registry: Unmanaged<AnyObservationRegistry>?
  var violations: [RuleViolation] = []
  var loadError: (any Error)?
  /// Sets the field back to what was last read or saved, once that changed; says whether it could.
  var restoration: ((AnyField) -> Bool)?
  /// What depends on the type of the value: see `FieldExtras`.
  var extras: AnyObject?
  /// How bindings reach the field.
  var bindingEnd: Lifeline?
  var validationStates: ObservableState<ValidationState>?
  var loadStates: ObservableState<LoadState>?
  /// Tells those who read the field under tracking.
  var tracker: ReadTracker?

  /// Called by the field that dies.
  deinit {
    bindingEnd?.end()
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

  /// Whether anybody observes the value, or did.
  final var hasRegistry: Bool { unmanagedDetails?._withUnsafeGuaranteedRef { $0.registry != nil } ?? false }

  /// How bindings reach the field, once one did.
  @usableFromInline
  final var knownBindingEnd: Lifeline? {
    get { details?.bindingEnd }
    set { detailsForWriting.bindingEnd = newValue }
  }
}

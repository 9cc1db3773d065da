@_spi(ModelKitInternals) import ObservationKit

/// Rarely needed state of one field, made when it is first needed.
final class FieldDetails {
  var violations: [RuleViolation] = []
  var loadError: (any Error)?
  /// Sets the field back to what was last read or saved, once that changed; says whether it could.
  var restoration: ((FieldBase) -> Bool)?
  /// What depends on the type of the value: see `FieldExtras`.
  var extras: AnyObject?
  /// How bindings reach the field.
  var bindingEnd: Lifeline?
  var validationStates: ObservableState<ValidationState>?
  var loadStates: ObservableState<LoadState>?
  /// Tells those who read the field under tracking.
  var tracker: ReadTracker?

  /// Says that the field dies.
  func end() { bindingEnd?.end() }
}

extension FieldBase {
  /// How bindings reach the field, once one did.
  @usableFromInline
  final var knownBindingEnd: Lifeline? {
    get { details?.bindingEnd }
    set { detailsForWriting.bindingEnd = newValue }
  }
}

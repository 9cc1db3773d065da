extension AnyField {
  /// The observable validation state: `name.validationStates --> form { form, state in … }`.
  ///
  /// The state becomes `unknown` at every set, and stays so until the next validation.
  public final var validationStates: ObservableState<ValidationState> {
    if let states = details?.validationStates { return states }
    let states = ObservableState(untrackedValidationState)
    detailsForWriting.validationStates = states
    flags.formUnion(.watched)
    return states
  }

  /// The observable load state, for example for a progress indicator.
  public final var loadStates: ObservableState<LoadState> {
    if let states = details?.loadStates { return states }
    let states = ObservableState(untrackedLoadState)
    detailsForWriting.loadStates = states
    flags.formUnion(.watched)
    return states
  }

  @usableFromInline
  final func announceStates() {
    if !flags.isDisjoint(with: [.ownerWatches, .ownerFollows]) { notifyOwnerOfSet() }
    guard let details else { return }
    // Both states are replaced first: an observer of one then sees the new value of the other.
    let validation = details.validationStates?.replace(with: untrackedValidationState)
    let load = details.loadStates?.replace(with: untrackedLoadState)
    validation?()
    load?()
  }
}

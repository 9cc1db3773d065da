extension AnyField {
  /// The validation state, for those who show it: `name.validationStates --> form { form, state in … }`.
  ///
  /// It is `unknown` after every set until somebody validates, and so tells when it is time to.
  public final var validationStates: ObservableState<ValidationState> {
    if let states = details?.validationStates { return states }
    let states = ObservableState(untrackedValidationState)
    detailsForWriting.validationStates = states
    flags.formUnion(.watched)
    return states
  }

  /// The load state, for those who show it, such as a spinner.
  public final var loadStates: ObservableState<LoadState> {
    if let states = details?.loadStates { return states }
    let states = ObservableState(untrackedLoadState)
    detailsForWriting.loadStates = states
    flags.formUnion(.watched)
    return states
  }

  @usableFromInline
  final func announceStates() {
    if !flags.isDisjoint(with: [.ownerWatches, .ownerFollows]) { tellOwnerOfSet() }
    guard let details else { return }
    // Both first, so that who hears of one sees the other.
    let validation = details.validationStates?.replace(with: untrackedValidationState)
    let load = details.loadStates?.replace(with: untrackedLoadState)
    validation?()
    load?()
  }
}

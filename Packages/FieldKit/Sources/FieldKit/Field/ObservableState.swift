@_spi(ModelKitInternals) import ObservationKit

/// A state of a field that can be observed, such as ``AnyField/validationStates``.
///
/// ```swift
/// let name = Field<String>().require(.notBlank)
/// name.validationStates --> { state in print(state) }  // unknown
/// name.value = ""
/// name.validate()  // invalid(["cannot be blank"])
/// ```
public final class ObservableState<State: Equatable>: ValueObservable {
  /// The current state.
  public var value: State {
    if FieldObservation.isEnabled { ReadTracker.noteRead(&tracker) }
    return state
  }

  /// The observers of the state.
  public let observations = ObservationRegistry<State>()

  private var state: State
  private var tracker: ReadTracker?

  init(_ state: State) { self.state = state }

  /// Replaces the state.
  ///
  /// - Returns: a closure that notifies the observers; nil if nothing changed.
  func replace(with newValue: State) -> (() -> Void)? {
    let oldValue = state
    if oldValue == newValue { return nil }
    tracker?.willSet()
    state = newValue
    tracker?.didSet()
    return { [observations] in observations.notify(from: oldValue, to: newValue) }
  }
}

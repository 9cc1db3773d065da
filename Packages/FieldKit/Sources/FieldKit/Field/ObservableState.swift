@_spi(ModelKitInternals) import ObservationKit

/// A state of a field that can be observed, such as ``AnyField/validationStates``.
///
/// ```swift
/// let name = Field<String>().require(.notBlank)
/// name.validationStates --> { state in print(state) }  // unknown
/// name.value = ""
/// name.validate()                                      // invalid(["cannot be blank"])
/// ```
public final class ObservableState<State: Equatable>: ValueObservable {
  /// The state as it is now.
  public var value: State {
    if FieldObservation.isEnabled { ReadTracker.noteRead(&tracker) }
    return state
  }

  /// Those who are told when the state changes.
  public let observations = ObservationRegistry<State>()

  private var state: State
  private var tracker: ReadTracker?

  init(_ state: State) { self.state = state }

  /// Takes a state over.
  ///
  /// - Returns: what tells the observers; nil if nothing changed.
  func replace(with newValue: State) -> (() -> Void)? {
    let oldValue = state
    if oldValue == newValue { return nil }
    tracker?.willSet()
    state = newValue
    tracker?.didSet()
    return { [observations] in observations.notify(from: oldValue, to: newValue) }
  }
}

/// A state of a field that can be observed, such as ``FieldBase/validationStates``.
///
/// ```swift
/// let name = Field<String>().require(.notBlank)
/// name.validationStates --> { state in print(state) }  // unknown
/// name.value = ""
/// name.validate()                                      // invalid(["cannot be blank"])
/// ```
public final class ObservableState<State: Equatable>: ValueObservable {
  /// The state as it is now.
  public private(set) var value: State

  /// Those who are told when the state changes.
  public let observations = ObservationRegistry<State>()

  init(_ value: State) { self.value = value }

  /// Takes a state over.
  ///
  /// - Returns: what tells the observers; nil if nothing changed.
  func replace(with newValue: State) -> (() -> Void)? {
    let oldValue = value
    if oldValue == newValue { return nil }
    value = newValue
    return { [observations] in observations.notify(from: oldValue, to: newValue) }
  }
}

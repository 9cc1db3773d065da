extension Field {
  /// Whether every set calls ``didSet(from:to:)``, and in a list also ``ArrayField/didAdd(_:)`` and
  /// ``ArrayField/didRemove(_:)``. A subclass that overrides one of these sets it in its initialiser:
  ///
  /// ```swift
  /// final class Journal: Field<String> {
  ///   private(set) var entries: [String?] = []
  ///   init() {
  ///     super.init()
  ///     reportsSets = true
  ///   }
  ///   override func didSet(from oldValue: String?, to newValue: String?) {
  ///     entries.append(newValue)
  ///   }
  /// }
  /// ```
  ///
  /// False by default, so that fields without hooks have no cost.
  public final var reportsSets: Bool {
    get { flags.contains(.reportsSets) }
    set {
      if newValue {
        flags.formUnion([.reportsSets, .hooksSet])
        flags.subtract(.onlyConstrained)
      } else {
        flags.subtract(.reportsSets)
      }
    }
  }

  /// Calls a closure on every set, whether or not the value differs: after the value is stored, before any observer is
  /// notified.
  ///
  /// Use it for parts of a field's declaration, such as a derived value. The closure is kept as long as the field and
  /// can't be removed; a copy of the field does not have it. Closures are called in the order in which they were added.
  /// If the order does not matter, observe the field instead.
  ///
  /// - Parameter action: receives the old and the new value.
  @discardableResult
  public func onSet(_ action: @escaping (_ oldValue: Content?, _ newValue: Content?) -> Void) -> Self {
    if flags.contains(.relation) {
      // A relation changes through either side, and only its observers are notified of both.
      addObserver(requiresChange: false, updateImmediately: false, action: action)
      return self
    }
    extrasForWriting.setHandlers.append(action)
    reportsSets = true
    return self
  }

  final func storeAndReport(_ newValue: Content?, stamp: ChangeStamp) {
    let oldValue = storage
    let isChange = isChange(from: oldValue, to: newValue)
    let isEdit = isChange || !isLoaded
    noteEdit(isChange: isEdit)
    prepareToSet(isChange: isEdit)
    storage = newValue
    if isEdit, flags.contains(.original) { keepBaseline(oldValue) }
    markSet(isChange: isEdit, stamp: stamp)
    reportSet(from: oldValue, to: newValue)
    // If a hook set the field again, the observers were notified of the final value already.
    if updatedStamp == stamp { announce(from: oldValue, to: newValue, isChange: isChange, stamp: stamp) }
  }

  final func callSetHandlers(from oldValue: Content?, to newValue: Content?) {
    guard let handlers = extras?.setHandlers else { return }
    for handler in handlers { handler(oldValue, newValue) }
  }
}

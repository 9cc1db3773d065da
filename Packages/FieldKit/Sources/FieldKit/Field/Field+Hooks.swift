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
  ///   override func didSet(from oldValue: String?, to newValue: String?) { entries.append(newValue) }
  /// }
  /// ```
  ///
  /// False at first, so that fields without hooks pay nothing for them.
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

  /// Calls a closure on every set, whether or not the value differs: after it was stored, before any observer is told.
  ///
  /// For what belongs to the declaration of a field, such as a value that is derived from it. The closure lives as long as
  /// the field and can't be removed; a copy of the field does not have it. Several are called in the order in which they
  /// were added. Observe the field instead if the order does not matter.
  ///
  /// - Parameter action: gets the old and the new value.
  @discardableResult
  public func onSet(_ action: @escaping (_ oldValue: Content?, _ newValue: Content?) -> Void) -> Self {
    if flags.contains(.relation) {
      // A relation changes from two sides, and only its observers hear of both.
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
    prepareToSet(isChange: isChange)
    storage = newValue
    if isChange, flags.contains(.original) { keepBaseline(oldValue) }
    markSet(isChange: isChange, stamp: stamp)
    reportSet(from: oldValue, to: newValue)
    // A hook that set the field again has told the observers of what the field has now.
    if updatedStamp == stamp { announce(from: oldValue, to: newValue, isChange: isChange, stamp: stamp) }
  }

  final func callSetHandlers(from oldValue: Content?, to newValue: Content?) {
    guard let handlers = extras?.setHandlers else { return }
    for handler in handlers { handler(oldValue, newValue) }
  }
}

/// A field of any value type, as forms, validation and stores use it. Create a ``Field``.
///
/// ```swift
/// let fields: [AnyField] = [Field<String>(name: "Name"), Field<Int>(name: "Age")]
/// for field in fields { print(field.name ?? "?", field.valueType) }
/// ```
///
/// - Note: Not `Sendable`: a field belongs to the isolation of its model.
open class AnyField: ObservationOwner {
  // The order matters: the object has no padding, and the state that a set changes is adjacent.
  @exclusivity(unchecked) @usableFromInline final var updatedStamp = ChangeStamp.never
  @exclusivity(unchecked) @usableFromInline final var changedStamp = ChangeStamp.never
  @exclusivity(unchecked) @usableFromInline final var flags: FieldFlags
  /// The index of the field in its model's layout.
  @exclusivity(unchecked) @_spi(ModelKitInternals) public final var layoutIndex: UInt16 = 0
  // A weak reference would cost every field of every model about 60 ns to create and destroy. This one is safe because
  // the owner calls `clearOwner()` on each of its fields when it is deallocated: see `ModelObject.deinit`.
  @exclusivity(unchecked) @usableFromInline final unowned(unsafe) var unsafeOwner: AnyObject?
  /// Rarely needed state. Unmanaged, because a set that checks for observers must not retain it.
  @exclusivity(unchecked) @usableFromInline final var unmanagedDetails: Unmanaged<FieldDetails>?

  @usableFromInline
  init(flags: FieldFlags) {
    self.flags = flags
  }

  /// The model or other object the field belongs to; nil once it was deallocated.
  public final var owner: AnyObject? { unsafeOwner }

  // MARK: Erased value

  /// The type of the value, without the optional.
  open var valueType: Any.Type { Never.self }

  /// The value, without its static type.
  open var anyValue: Any? { nil }

  /// Sets the value if it has the right type.
  ///
  /// - Throws: ``FieldError`` with ``FieldError/Code/wrongType`` for a value of another type; the old value stays.
  open func set(anyValue: Any?) throws {
    throw wrongType(anyValue.map { type(of: $0) } ?? Never.self)
  }

  // MARK: Name

  /// The name shown to users, such as the label in a form.
  public var name: String? { declaredName }

  /// The key in dictionaries and JSON: the declared one, or the name of the property that holds the field.
  public var key: String? { declaredKey ?? (owner as? any FieldOwner)?.propertyName(of: self) }

  /// The position in a form; fields with small numbers come first.
  public var priority: Int? { nil }

  /// Whether the value is kept out of errors, messages and descriptions.
  public var isSensitive: Bool { false }

  /// The name given in the declaration.
  var declaredName: String? { nil }

  /// The key given in the declaration.
  @_spi(ModelKitInternals) public var declaredKey: String? { nil }

  // MARK: State

  /// The load state: whether the value is not loaded, partially loaded or fully loaded.
  public final var loadState: LoadState {
    get {
      noteRead(of: .loadState)
      return untrackedLoadState
    }
    set {
      let isChange = newValue != untrackedLoadState
      let announced = announceChange(of: isChange ? .loadState : [])
      defer { concludeChange(of: announced) }
      flags.subtract(.loadStateMask)
      details?.loadError = nil
      switch newValue {
      case .notLoaded: break
      case .incomplete: flags.formUnion(.incomplete)
      case .loaded: flags.formUnion(.loaded)
      case .loading: flags.formUnion(.loading)
      case .error(let error):
        flags.formUnion(.failed)
        detailsForWriting.loadError = error
      }
      if flags.contains(.watched) { announceStates() }
    }
  }

  final var untrackedLoadState: LoadState {
    switch flags.intersection(.loadStateMask) {
    case .incomplete: .incomplete
    case .loaded: .loaded
    case .loading: .loading
    case .failed: .error(details?.loadError ?? LoadStateError())
    default: .notLoaded
    }
  }

  /// Whether the load state is `loaded`. The read is not tracked.
  @_spi(ModelKitInternals)
  public final var isLoaded: Bool { flags.intersection(.loadStateMask) == .loaded }

  /// Whether the field has never been set or read.
  public final var isUnset: Bool {
    noteRead(of: .loadState)
    return updatedStamp == .never || flags.isDisjoint(with: .loadStateMask)
  }

  /// Whether the value changed since it was last read or saved.
  public final var isDirty: Bool {
    noteRead(of: .isDirty)
    return flags.contains(.dirty)
  }

  // MARK: Validation

  func ruleViolations() -> [RuleViolation] { [] }

  /// Whether there are asynchronous rules for the present value.
  var hasAsynchronousRules: Bool { false }

  /// Returns the checks of the present value by the asynchronous rules.
  func asynchronousChecks() -> [AsynchronousCheck] { [] }

  /// Calls a closure after every change of the value.
  func observeChanges(_ action: @escaping () -> Void) -> ObservationToken? { nil }

  /// The value for a description. Reading it is not tracked and loads nothing.
  @_spi(ModelKitInternals)
  open var describedValue: Any? { nil }

  // MARK: Copying and merging

  /// Returns a field with the same value, states and declaration that is independent of this one.
  open func copy() -> AnyField {
    preconditionFailure("\(Self.self) can't be copied: subclass Field instead.")
  }

  /// Takes the value of another field if that value is loaded and newer.
  ///
  /// - Returns: whether the value was taken.
  /// - Throws: ``FieldError`` with ``FieldError/Code/wrongType`` if the other field has values of another type; nothing
  ///   is changed.
  @discardableResult
  public func merge(from other: AnyField) throws -> Bool {
    throw wrongType(other.valueType)
  }

  // MARK: For models

  /// Copies the value and the states of a field of the same type, and notifies the observers.
  @_spi(ModelKitInternals)
  open func takeValue(of other: AnyField) {}

  /// Captures the value and the states.
  @_spi(ModelKitInternals)
  open func captureState() -> FieldState { FieldState(of: self) }

  /// Sets the value of a captured state, as an edit.
  ///
  /// - Parameters:
  ///   - state: a state of this field.
  ///   - isExact: whether to reinstate the states, too. Otherwise the field becomes dirty.
  ///   - marksClean: whether the field becomes clean if the value equals the baseline.
  @_spi(ModelKitInternals)
  open func reinstate(_ state: FieldState, exactly isExact: Bool, marksClean: Bool) {}

  /// Called when the baseline becomes unknown while the field is dirty. A subclass with storage of its own for the
  /// baseline discards it.
  @_spi(ModelKitInternals)
  open func discardBaseline() {}

  /// Records that the owner was loaded for the first time. Without a load state, its source has no value for this
  /// field.
  @_spi(ModelKitInternals)
  public final func noteOwnerWasLoaded() { if flags.isDisjoint(with: .loadStateMask) { markNotLoaded() } }

  /// Called when the owner was loaded for the first time, by a source that has no value for this field.
  @_spi(ModelKitInternals)
  open func markNotLoaded() {}

  /// Unloads the value: the field is then unset, not loaded and not dirty. Observers are notified.
  @_spi(ModelKitInternals)
  open func unload() {}

  /// Returns whether another field has the same type and an equal value. Values that can't be compared are equal if
  /// they are written equally.
  @_spi(ModelKitInternals)
  public func hasSameValue(as other: AnyField) -> Bool { false }

  /// Whether the value equals the one that was read or saved last. That of a relation does only if it is not dirty.
  @_spi(ModelKitInternals)
  public var hasSavedValue: Bool { !isDirty }

  /// Changes the name shown to users, for example to a translation found by the key.
  ///
  /// - Parameter name: the new name; nil for none.
  public func rename(_ name: String?) {}

  /// Changes the position in a form: ``priority``.
  ///
  /// - Parameter priority: the new priority, small numbers first; nil for none.
  public func prioritize(_ priority: Int?) {}

  /// The values that the field may hold, if they can be listed: see ``Field/allowedValues``.
  public var anyAllowedValues: [Any]? { nil }

  /// Sets the value to that of another field, even to an older one.
  ///
  /// - Parameters:
  ///   - other: a field with values of the same type.
  ///   - keepingTimestamps: whether the value keeps the time stamps of the other field, so that neither is newer;
  ///     otherwise it is set now.
  /// - Throws: ``FieldError`` with ``FieldError/Code/wrongType`` if the other field has values of another type; nothing
  ///   is changed.
  public func copyValue(from other: AnyField, keepingTimestamps: Bool = false) throws {
    throw wrongType(other.valueType)
  }

  /// Calls a closure after every change of the value, whichever type it has.
  ///
  /// ```swift
  /// for field in person.fields {
  ///   field.observe { print(field.key ?? "", field.anyValue ?? "none") }
  /// }
  /// ```
  ///
  /// - Parameter action: called in the isolation of the field. The field retains it: capture owners weakly.
  /// - Returns: a token that ends the observation when cancelled, but not when released.
  @discardableResult
  public final func observe(_ action: @escaping () -> Void) -> ObservationToken {
    guard let token = observeChanges(action) else {
      preconditionFailure("\(Self.self) can't be observed: subclass Field instead.")
    }
    return token
  }

  // MARK: Reading and writing

  /// Checks and converts a value read from JSON without changing the field.
  ///
  /// - Returns: a closure that sets the field, to be called once all other values were checked.
  @_spi(ModelKitInternals)
  open func staged(_ json: JSONValue, by reader: FieldReader) throws -> () -> Void {
    preconditionFailure("\(Self.self) can't be read: subclass Field instead.")
  }

  /// Returns the value as JSON, or nil if there is none.
  @_spi(ModelKitInternals)
  open func exported(by writer: FieldWriter) throws -> JSONValue? {
    preconditionFailure("\(Self.self) can't be written: subclass Field instead.")
  }

  /// Returns the baseline as JSON; `null` for nil. Returns nil if the baseline is unknown.
  @_spi(ModelKitInternals)
  public func exportedBaseline(by writer: FieldWriter) throws -> JSONValue? { nil }

  /// Returns whether the field reads the same value from both. `false` also if it can't read one of them.
  @_spi(ModelKitInternals)
  public func readsSameValue(
    _ json: JSONValue, _ other: JSONValue, in context: ValueTransformerContext
  ) -> Bool { false }

  // Type-erased operations that `AnyField+DirectReading.swift` needs.

  /// Whether the value may have observers.
  var hasObservers: Bool { true }

  /// Returns whether another field has an equal value.
  func hasValue(of other: AnyField) -> Bool { false }

  /// Returns whether the field has the value that is read from this JSON. `false` also if the values can't be compared.
  func hasValue(_ json: JSONValue, in context: ValueTransformerContext) -> Bool { false }

  /// Sets the field to the value that another field has read.
  func load(readBy other: AnyField, stamp: ChangeStamp) {}

  /// Sets the field to a value that is read from JSON.
  func load(read json: JSONValue, in context: ValueTransformerContext, stamp: ChangeStamp) throws {}

  /// Sets a relation to models that were read; nil for none. A to-one relation gets a list of one model.
  @_spi(ModelKitInternals)
  open func load(readRelated models: [AnyObject]?) {}

  /// Sets an untouched to-many relation to untouched models that were read.
  ///
  /// - Returns: `false`, without any change, if the relation or a model needs the general path.
  @_spi(ModelKitInternals)
  open func loadUntouched(readRelated models: UnsafeBufferPointer<Unmanaged<AnyObject>>) -> Bool { false }

  /// Calls a closure with the related objects: nil for none, one object, or the list.
  ///
  /// - Returns: the result of the closure, or `false` without a call if the relation needs the general path.
  @_spi(ModelKitInternals)
  open func withRelatedObjects(
    _ body: (UnsafeBufferPointer<Unmanaged<AnyObject>>?) throws -> Bool
  ) rethrows -> Bool { false }

  /// Whether a model that a foreign key holds weakly was deallocated, so that its inverse lacks this model.
  @_spi(ModelKitInternals)
  open var hasReleasedModels: Bool { false }

  /// Whether ``seeUntouched(_:stamp:)`` would succeed.
  @_spi(ModelKitInternals)
  open var canSeeUntouched: Bool { false }

  /// Adds a model that was just read, and references this one, to an untouched relation; see
  /// `ModelArrayField+Reading.swift`.
  ///
  /// - Returns: `false` if the relation needs the general path.
  @_spi(ModelKitInternals)
  open func seeUntouched(_ model: AnyObject, stamp: ChangeStamp) -> Bool { false }

  /// Writes the models of a relation as a member of an object; see `AnyField+DirectWriting.swift`.
  @_spi(ModelKitInternals)
  open func writeRelated(
    _ key: UnsafeBufferPointer<UInt8>, to json: inout JSONWriter, by writer: FieldWriter
  ) throws {}
}

@_spi(ModelKitInternals)
extension AnyField {
  /// Sets the owner. The owner has to call ``clearOwner()`` before it is deallocated.
  @inlinable
  public final func adopt(by owner: AnyObject, at index: Int) {
    unsafeOwner = owner
    layoutIndex = UInt16(truncatingIfNeeded: index)
  }

  /// Removes the reference to the owner.
  @inlinable
  public final func clearOwner() { unsafeOwner = nil }

  /// Whether the value consists of other models.
  public final var isRelation: Bool { flags.contains(.relation) }
}

/// The error of a field whose load state was set to `error` without one.
private struct LoadStateError: Error {}

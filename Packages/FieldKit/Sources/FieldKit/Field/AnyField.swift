#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A field of any value type: what forms, validation and stores need to know of it. Create a ``Field``.
///
/// ```swift
/// let fields: [AnyField] = [Field<String>(name: "Name"), Field<Int>(name: "Age")]
/// for field in fields { print(field.name ?? "?", field.valueType) }
/// ```
///
/// - Note: Not `Sendable`: a field lives in the isolation of its model.
open class AnyField: ObservationOwner {
  // The order matters: one object without padding, the state that a set touches side by side.
  @exclusivity(unchecked) @usableFromInline final var updatedStamp = ChangeStamp.never
  @exclusivity(unchecked) @usableFromInline final var changedStamp = ChangeStamp.never
  @exclusivity(unchecked) @usableFromInline final var flags: FieldFlags
  /// The place of the field in its model's layout.
  @_spi(ModelKitInternals) public final var layoutIndex: UInt16 = 0
  // A weak reference would cost every field of every model about 60 ns to make and break. This one is safe because the
  // owner calls `disown()` on each of its fields when it dies: see `ModelObject.deinit`.
  @exclusivity(unchecked) private final unowned(unsafe) var unsafeOwner: AnyObject?
  /// What not every field has. Unmanaged, because a set that looks for observers must not retain it.
  @exclusivity(unchecked) @usableFromInline final var unmanagedDetails: Unmanaged<FieldDetails>?

  @usableFromInline
  init(flags: FieldFlags) {
    self.flags = flags
  }

  /// The model or other object the field belongs to; nil once that is gone.
  public final var owner: AnyObject? { unsafeOwner }

  /// Makes an object the owner. It has to call ``disown()`` before it is gone.
  @_spi(ModelKitInternals)
  public final func adopt(by owner: AnyObject, at index: Int) {
    unsafeOwner = owner
    layoutIndex = UInt16(truncatingIfNeeded: index)
  }

  /// Forgets the owner.
  @_spi(ModelKitInternals)
  public final func disown() { unsafeOwner = nil }

  // MARK: Erased value

  /// The type of the value, without the optional.
  open var valueType: Any.Type { Never.self }

  /// The value, whatever its type.
  open var anyValue: Any? { nil }

  /// Sets the value if it has the right type.
  ///
  /// - Throws: ``FieldError`` with ``FieldError/Code/wrongType`` for a value of another type; the old value stays.
  open func set(anyValue: Any?) throws {
    throw wrongType(anyValue.map { type(of: $0) } ?? Never.self)
  }

  /// Whether the value is made of other models.
  @_spi(ModelKitInternals)
  public final var isRelation: Bool { flags.contains(.relation) }

  // MARK: Name

  /// What people call the field, such as the label of a form.
  public var name: String? { declaredName }

  /// The key in dictionaries and JSON: the declared one, or the name of the property that holds the field.
  public var key: String? { declaredKey ?? (owner as? any FieldOwner)?.propertyName(of: self) }

  /// The place in a form; fields with small numbers come first.
  public var priority: Int? { nil }

  /// Whether the value is kept out of errors, messages and descriptions.
  public var isSensitive: Bool { false }

  /// The name given at the declaration.
  @_spi(ModelKitInternals) public var declaredName: String? { nil }

  /// The key given at the declaration.
  @_spi(ModelKitInternals) public var declaredKey: String? { nil }

  // MARK: State

  /// How much of the value is known.
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

  /// Whether the field has never been set or read.
  public final var isUnset: Bool {
    noteRead(of: .loadState)
    return updatedStamp == .never || flags.isDisjoint(with: .loadStateMask)
  }

  /// Whether the value changed since it was last loaded or saved.
  public final var isDirty: Bool {
    noteRead(of: .isDirty)
    return flags.contains(.dirty)
  }

  /// When the value was last set, to a different value or not; nil if never.
  public final var updatedAt: Date? {
    noteRead(of: .updatedAt)
    return updatedStamp.date
  }

  /// When the value last changed; nil if never.
  public final var changedAt: Date? {
    noteRead(of: .value)
    return changedStamp.date
  }

  /// When the value last changed; `never` if it did not.
  @_spi(ModelKitInternals) public final var lastChange: ChangeStamp { changedStamp }

  /// Says that the value as of a stamp is what a store holds. A later change stays dirty.
  @_spi(ModelKitInternals)
  public final func markSaved(asOf stamp: ChangeStamp) {
    guard changedStamp <= stamp else {
      // What was saved is neither the value nor what was kept of the one before.
      if details?.restoration != nil || !isRelation { detailsForWriting.restoration = { _ in false } }
      return
    }
    flags.formUnion(.original)
    details?.restoration = nil
    guard flags.contains(.dirty) else { return }
    let announced = announceChange(of: .isDirty)
    flags.subtract(.dirty)
    concludeChange(of: announced)
    if flags.contains(.ownerWatches) { tellOwnerOfSave() }
  }

  // MARK: Validation

  /// The result of the last validation; `unknown` after every set.
  public final var validationState: ValidationState {
    noteRead(of: .validationState)
    return untrackedValidationState
  }

  final var untrackedValidationState: ValidationState {
    if flags.contains(.invalid) { return .invalid(untrackedViolations.map(\.description)) }
    return flags.contains(.valid) ? .valid : .unknown
  }

  /// What the last validation found, with all that is needed to say it in one's own words; empty after every set.
  ///
  /// Messages added by hand come last. In the order of the messages of ``validationState``.
  public final var violations: [RuleViolation] {
    noteRead(of: .validationState)
    return untrackedViolations
  }

  private var untrackedViolations: [RuleViolation] { flags.contains(.invalid) ? details?.violations ?? [] : [] }

  /// Checks every rule and keeps the result. Messages added by hand are forgotten.
  ///
  /// - Returns: `.valid`, or `.invalid` with one message for each broken rule, in the order of the rules.
  @discardableResult
  public final func validate() -> ValidationState {
    let violations = ruleViolations()
    setViolations(violations, isValid: violations.isEmpty)
    return validationState
  }

  /// Checks the rules unless that was done since the value was last set.
  @discardableResult
  public final func validateIfNeeded() -> ValidationState {
    flags.isDisjoint(with: [.valid, .invalid]) ? validate() : validationState
  }

  /// Whether the value keeps all rules; validates if that was not done since the value was last set.
  public final var valid: Bool { validateIfNeeded().isValid }

  /// Adds a message from elsewhere, such as a server. It goes with the next validation or set.
  public final func addValidationError(_ message: String) { addViolation(RuleViolation(message: message)) }

  /// Adds what was found elsewhere, such as by a server. It goes with the next validation or set.
  public final func addViolation(_ violation: RuleViolation) { addViolations([violation]) }

  /// Adds violations in one change of the validation state.
  ///
  /// - Complexity: O(*n* + *m*), where *n* is the number of violations that there are, and *m* of those that are added.
  @_spi(ModelKitInternals)
  public final func addViolations(_ violations: [RuleViolation]) {
    if violations.isEmpty { return }
    setViolations(untrackedViolations + violations.map(withoutSecrets), isValid: false)
  }

  /// Forgets the result of the last validation.
  public final func resetValidationState() {
    let announced = announceChange(of: flags.isDisjoint(with: [.valid, .invalid]) ? [] : .validationState)
    flags.subtract([.valid, .invalid])
    details?.violations = []
    if flags.contains(.watched) { announceStates() }
    concludeChange(of: announced)
  }

  final func setViolations(_ violations: [RuleViolation], isValid: Bool) {
    let newState: ValidationState = isValid ? .valid : .invalid(violations.map(\.description))
    let announced = announceChange(of: newState == untrackedValidationState ? [] : .validationState)
    defer { concludeChange(of: announced) }
    flags.subtract([.valid, .invalid])
    flags.formUnion(isValid ? .valid : .invalid)
    if isValid { details?.violations = [] } else { detailsForWriting.violations = violations }
    if flags.contains(.watched) { announceStates() }
  }

  func ruleViolations() -> [RuleViolation] { [] }

  /// The value for a description: as it is, without asking anybody or being seen to be read.
  @_spi(ModelKitInternals)
  open var describedValue: Any? { nil }

  // MARK: Copying and merging

  /// A field with the same value, states and declaration that is independent of this one.
  open func copy() -> AnyField {
    preconditionFailure("\(Self.self) is not made to be copied: derive fields from Field.")
  }

  /// Takes the value of another field if that is loaded and newer.
  ///
  /// - Returns: whether the value was taken.
  /// - Throws: ``FieldError`` with ``FieldError/Code/wrongType`` if the other field has values of another type; nothing is changed.
  @discardableResult
  public func merge(from other: AnyField) throws -> Bool {
    throw wrongType(other.valueType)
  }

  // MARK: For models

  /// Takes over the value and the states of a field of the same type, as a copy has them, and tells the observers.
  @_spi(ModelKitInternals)
  open func takeValue(of other: AnyField) {}

  /// Forgets the value: the field is as if it had never been set or read, and not dirty. Observers are told.
  @_spi(ModelKitInternals)
  open func unload() {}

  /// Whether another field has the same type and an equal value. Values that can't be compared are never equal.
  @_spi(ModelKitInternals)
  public func hasSameValue(as other: AnyField) -> Bool { false }

  /// Changes what people call the field, such as to a translation that is found by its key.
  ///
  /// - Parameter name: the new name; nil for none.
  public func rename(_ name: String?) {}

  // MARK: Reading and writing

  /// Checks and converts a value read from JSON without changing the field.
  ///
  /// - Returns: what sets the field, to be called once everything else was checked too.
  @_spi(ModelKitInternals)
  open func staged(_ json: JSONValue, by reader: FieldReader) throws -> () -> Void {
    preconditionFailure("\(Self.self) is not made to be read: derive fields from Field.")
  }

  /// The value as JSON, or nil if there is none.
  @_spi(ModelKitInternals)
  open func exported(by writer: FieldWriter) throws -> JSONValue? {
    preconditionFailure("\(Self.self) is not made to be written: derive fields from Field.")
  }

  /// The value that was last read or saved, as JSON; `null` for nil. Nil if that is not known.
  @_spi(ModelKitInternals)
  public func exportedBaseline(by writer: FieldWriter) throws -> JSONValue? { nil }

  /// A value as this field writes it; nil if the field can't read it.
  @_spi(ModelKitInternals)
  public func respelled(_ json: JSONValue, in context: ValueTransformerContext) -> JSONValue? { nil }

  // What `AnyField+DirectReading.swift` asks of a field whose type it does not know.

  /// Whether anybody may have to be told of a change.
  var hasObservers: Bool { true }

  /// Whether another field has an equal value.
  func hasValue(of other: AnyField) -> Bool { false }

  /// Whether the field has the value that is read from this JSON. `false` also if there is no telling.
  func hasValue(_ json: JSONValue, in context: ValueTransformerContext) -> Bool { false }

  /// Sets the field to a value that was read into another one.
  func load(readBy other: AnyField, stamp: ChangeStamp) {}

  /// Sets the field to a value that was read.
  func load(read json: JSONValue, in context: ValueTransformerContext, stamp: ChangeStamp) throws {}

  /// Sets a relation to models that were read; nil for none. One that leads to one model gets a list of one.
  @_spi(ModelKitInternals)
  open func load(readRelated models: [AnyObject]?) {}

  /// Sets an untouched relation to many to models that were read and are untouched too.
  ///
  /// - Returns: `false` if there is more to it; nothing was done then.
  @_spi(ModelKitInternals)
  open func loadUntouched(readRelated models: UnsafeBufferPointer<Unmanaged<AnyObject>>) -> Bool { false }

  /// Calls a closure with what a relation leads to: nil for nothing, one object, or a list that has them.
  ///
  /// - Returns: what the closure returns, or `false` without a call if what there is takes a closer look.
  @_spi(ModelKitInternals)
  open func withRelatedObjects(
    _ body: (UnsafeBufferPointer<Unmanaged<AnyObject>>?) throws -> Bool
  ) rethrows -> Bool { false }

  /// Whether ``seeUntouched(_:stamp:)`` would do.
  @_spi(ModelKitInternals)
  open var canSeeUntouched: Bool { false }

  /// Has an untouched relation see the model that was just read to lead here; see `ModelArrayField+Reading.swift`.
  ///
  /// - Returns: `false` if there is more to it.
  @_spi(ModelKitInternals)
  open func seeUntouched(_ model: AnyObject, stamp: ChangeStamp) -> Bool { false }

  /// Writes the models of a relation as a member of an object; see `AnyField+DirectWriting.swift`.
  @_spi(ModelKitInternals)
  open func writeRelated(
    _ key: UnsafeBufferPointer<UInt8>, to json: inout JSONWriter, by writer: FieldWriter
  ) throws {}
}

/// What a field whose load state is `error` reports if nobody said which.
private struct LoadStateError: Error {}

/// What a field asks the object it belongs to.
@_spi(ModelKitInternals)
public protocol FieldOwner: AnyObject {
  /// The name of the property that holds the field.
  func propertyName(of field: AnyField) -> String?
}

extension ChangeStamp {
  /// The stamp as a date, rounded to what `Date` can tell apart; nil for `never`.
  public var date: Date? {
    if self == .never { return nil }
    // Calculated as `Date()` does it, so that a date taken before a set is never rounded to one after it.
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Date(timeIntervalSinceReferenceDate: Double(seconds) - 978_307_200 + 1e-9 * Double(rest))
  }
}

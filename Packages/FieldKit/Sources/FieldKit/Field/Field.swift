/// One value of a model: optional, observable, validated and time-stamped.
///
/// ```swift
/// let name = Field<String>(name: "Name").require(.notBlank)
/// name --> { print($0 ?? "nobody") }
/// name.value = "Ada"
/// assert(name.valid)
/// ```
///
/// - Note: Not `Sendable`: a field lives in the isolation of its model, and observers run there synchronously.
open class Field<Content>: StoredField<Content?>, ValueObservable, ValueObserver {
  /// What observers see: the optional value.
  public typealias Value = Content?

  /// Made once, when the first observer comes, and never replaced.
  @exclusivity(unchecked) @usableFromInline final var registry: ObservationRegistry<Content?>?
  /// Nil if values can't be compared: then every set is a change.
  @usableFromInline final let areEqual: ((Content, Content) -> Bool)?
  @exclusivity(unchecked) @usableFromInline final var metadata: FieldMetadata<Content>?

  /// Creates a field of values that can't be compared: every set counts as a change.
  ///
  /// - Parameters:
  ///   - initial: the first value. A field with one counts as loaded.
  ///   - name: what people call the field.
  ///   - key: the key in dictionaries and JSON; dots reach into nested objects. Default: the property's name.
  ///   - priority: the place in a form.
  @inlinable
  public init(_ initial: Content? = nil, name: String? = nil, key: String? = nil, priority: Int? = nil) {
    areEqual = nil
    super.init(initial, flags: [])
    if initial != nil { setInitialState() }
    if name != nil || key != nil || priority != nil {
      metadata = .declaring(name: name, key: key, priority: priority)
    }
  }

  /// Creates a field of comparable values: observers are told when the value differs.
  ///
  /// - Parameters:
  ///   - initial: the first value. A field with one counts as loaded.
  ///   - name: what people call the field.
  ///   - key: the key in dictionaries and JSON; dots reach into nested objects. Default: the property's name.
  ///   - priority: the place in a form.
  @inlinable
  public init(_ initial: Content? = nil, name: String? = nil, key: String? = nil, priority: Int? = nil)
  where Content: Equatable {
    areEqual = { $0 == $1 }
    super.init(initial, flags: [])
    if initial != nil { setInitialState() }
    if name != nil || key != nil || priority != nil {
      metadata = .declaring(name: name, key: key, priority: priority)
    }
  }

  /// Creates a field for a subclass.
  init(
    unset value: Content?, metadata: FieldMetadata<Content>?, areEqual: ((Content, Content) -> Bool)?,
    flags: FieldFlags = []
  ) {
    self.areEqual = areEqual
    super.init(value, flags: flags)
    self.metadata = metadata
  }

  @usableFromInline
  final func setInitialState() {
    flags.formUnion(.loaded)
    let stamp = ChangeStamp.next()
    updatedStamp = stamp
    changedStamp = stamp
  }

  // MARK: Value

  /// The value. Setting it marks the field loaded, makes its validation unknown, stamps it, and tells the observers
  /// before the setter returns.
  ///
  /// - Complexity: O(1) to get; to set O(*n*), where *n* is the number of observers.
  @inlinable
  public final var value: Content? {
    get {
      if flags.contains(.hooksGet) { return valueThroughHook() }
      return storage
    }
    set { set(newValue, stamp: .next()) }
  }

  /// Stores a value and tells the observers. Every way of setting ends here.
  @inlinable
  final func store(_ newValue: Content?, stamp: ChangeStamp) {
    let oldValue = storage
    let isChange = isChange(from: oldValue, to: newValue)
    storage = newValue
    updatedStamp = stamp
    flags.subtract(.stale)
    flags.formUnion(.loaded)
    if isChange {
      changedStamp = stamp
      flags.formUnion(.dirty)
    }
    if let registry {
      // The field keeps its registry as long as it lives: to retain it for the call would cost as much as an observer.
      Unmanaged.passUnretained(registry)._withUnsafeGuaranteedRef {
        $0.notify(from: oldValue, to: newValue, isChange: isChange, stamp: stamp)
      }
    }
  }

  @inlinable
  final func isChange(from oldValue: Content?, to newValue: Content?) -> Bool {
    switch (oldValue, newValue) {
    case (nil, nil): false
    case (let old?, let new?): !areEqualValues(old, new)
    default: true
    }
  }

  /// Compares two values. For the commonest types the comparison is chosen when the caller is compiled, which makes it
  /// ten times as fast as through the closure.
  @inlinable
  final func areEqualValues(_ old: Content, _ new: Content) -> Bool {
    if Content.self == Int.self {
      return unsafeBitCast(old, to: Int.self) == unsafeBitCast(new, to: Int.self)
    }
    if Content.self == String.self {
      return unsafeBitCast(old, to: String.self) == unsafeBitCast(new, to: String.self)
    }
    if Content.self == Double.self {
      return unsafeBitCast(old, to: Double.self) == unsafeBitCast(new, to: Double.self)
    }
    if Content.self == Bool.self {
      return unsafeBitCast(old, to: Bool.self) == unsafeBitCast(new, to: Bool.self)
    }
    return areEqual.map { $0(old, new) } ?? false
  }

  @usableFromInline
  final func valueThroughHook() -> Content? { hookedValue() }

  /// Sets the value, through the subclass if it has more to do.
  @inlinable
  final func set(_ newValue: Content?, stamp: ChangeStamp) {
    if flags.contains(.hooksSet) { setThroughHook(newValue, stamp: stamp) } else { store(newValue, stamp: stamp) }
  }

  @usableFromInline
  final func setThroughHook(_ newValue: Content?, stamp: ChangeStamp) { setHooked(newValue, stamp: stamp) }

  /// Reads the value of a subclass that keeps it elsewhere.
  @_spi(ModelKitInternals)
  open func hookedValue() -> Content? { storage }

  /// Sets the value of a subclass that has more to do than to store it.
  @_spi(ModelKitInternals)
  open func setHooked(_ newValue: Content?, stamp: ChangeStamp) { store(newValue, stamp: stamp) }

  // MARK: For subclasses that keep relations

  /// Creates a field whose value is set through ``setHooked(_:stamp:)``.
  @_spi(ModelKitInternals)
  public init(
    hooked value: Content?, name: String?, key: String?, priority: Int?, areEqual: @escaping (Content, Content) -> Bool
  ) {
    self.areEqual = areEqual
    super.init(value, flags: [.hooksSet, .relation])
    if name != nil || key != nil || priority != nil {
      metadata = .declaring(name: name, key: key, priority: priority)
    }
  }

  /// The stored value, whatever a subclass makes of it. Setting it tells nobody.
  @_spi(ModelKitInternals)
  public final var storedValue: Content? {
    get { storage }
    set { storage = newValue }
  }

  /// Whether the value is read through ``hookedValue()``.
  @_spi(ModelKitInternals)
  public final var readsThroughHook: Bool {
    get { flags.contains(.hooksGet) }
    set { if newValue { flags.formUnion(.hooksGet) } else { flags.subtract(.hooksGet) } }
  }

  /// Whether anybody may have to be told of a change.
  @_spi(ModelKitInternals)
  public final var isObserved: Bool { registry != nil }

  /// Does all that a set does except to store the value and to tell the observers.
  @_spi(ModelKitInternals)
  public final func markSet(isChange: Bool, stamp: ChangeStamp) {
    updatedStamp = stamp
    flags.subtract(.stale)
    flags.formUnion(.loaded)
    if isChange {
      changedStamp = stamp
      flags.formUnion(.dirty)
    }
  }

  /// Tells the observers of a change that was made before.
  @_spi(ModelKitInternals)
  public final func announce(from oldValue: Content?, to newValue: Content?, isChange: Bool, stamp: ChangeStamp) {
    registry?.notify(from: oldValue, to: newValue, isChange: isChange, stamp: stamp)
  }

  // MARK: Observation

  /// The observers of the value. Made when the first one is added.
  @inlinable
  public final var observations: ObservationRegistry<Content?> {
    if let registry { return registry }
    let registry = ObservationRegistry<Content?>()
    self.registry = registry
    return registry
  }

  /// Takes the value of the field or other observable that this field is bound to. An unset field gives nothing.
  @inlinable
  public final func valueChanged(
    from oldValue: Content?, to newValue: Content?, observable: any ValueObservable<Content?>
  ) {
    if observable.isUnset { return }
    let stamp = observable.observations.stamp
    if stamp == .never {
      // The initial copy of a binding: the source wins, however old its value is.
      value = newValue
    } else if stamp > updatedStamp {
      set(newValue, stamp: stamp)
    }
  }

  // MARK: Erased access

  /// The type of the value, without the optional.
  public final override var valueType: Any.Type { Content.self }

  /// The value, whatever its type.
  public final override var anyValue: Any? { value }

  /// Sets the value if it has the right type.
  ///
  /// - Throws: ``FieldTypeError`` for a value of another type; the old value stays.
  public final override func set(anyValue: Any?) throws {
    guard let anyValue else {
      value = nil
      return
    }
    guard let typed = anyValue as? Content else {
      throw FieldTypeError(field: name ?? key, expected: Content.self, found: type(of: anyValue))
    }
    value = typed
  }

  // MARK: Declaration

  /// The name given at the declaration.
  @_spi(ModelKitInternals) public final override var declaredName: String? { metadata?.name }

  /// The key given at the declaration.
  @_spi(ModelKitInternals) public final override var declaredKey: String? { metadata?.key }

  /// The place in a form; fields with small numbers come first.
  public final override var priority: Int? { metadata?.priority }

  override func ruleViolations() -> [RuleViolation] {
    guard let metadata, !metadata.rules.isEmpty else { return [] }
    let value = value
    var violations: [RuleViolation] = []
    for rule in metadata.rules {
      if let violation = rule.violation(of: value) { violations.append(violation) }
    }
    return violations
  }

  // MARK: Reading and writing

  @_spi(ModelKitInternals)
  open override func staged(_ json: JSONValue, by reader: FieldReader) throws -> () -> Void {
    let value = try importedValue(json, in: reader.context)
    return { [self] in load(value, stamp: .next()) }
  }

  /// Sets a value that was read: afterwards the field is as the source has it, and so not dirty.
  @_spi(ModelKitInternals)
  public final func load(_ value: Content?, stamp: ChangeStamp) {
    set(value, stamp: stamp)
    markSaved(asOf: stamp)
  }

  @_spi(ModelKitInternals)
  open override func exported(by writer: FieldWriter) throws -> JSONValue? {
    guard let value else { return nil }
    return try exportedValue(value, in: writer.context)
  }

  func importedValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Content? {
    if json.isNull { return nil }
    if let transformer = metadata?.transformer { return try transformer.importValue(json, in: context) }
    return try context.importValue(json, as: Content.self)
  }

  func exportedValue(_ value: Content, in context: ValueTransformerContext) throws -> JSONValue {
    if let transformer = metadata?.transformer { return try transformer.exportValue(value, in: context) }
    return try context.exportValue(value)
  }
}

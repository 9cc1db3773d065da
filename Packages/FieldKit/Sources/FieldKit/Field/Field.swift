/// One value of a model: optional, observable, validated and time-stamped.
///
/// ```swift
/// let name = Field<String>(name: "Name").require(.notBlank)
/// name --> { print($0 ?? "nobody") }
/// name.value = "Ada"
/// assert(name.valid)
/// ```
///
/// A field is a property wrapper, too: `@Field var name: String?` declares a property for the value, and `$name` is the
/// field. See ``Required`` for values that are not optional.
///
/// - Note: Not `Sendable`: a field lives in the isolation of its model, and observers run there synchronously.
@propertyWrapper
open class Field<Content>: StoredField<Content?>, ValueObservable, ValueObserver {
  /// The type that observers receive: the optional value.
  public typealias Value = Content?

  /// Nil if values can't be compared: then every set is a change.
  @usableFromInline final let equality: ValueEquality<Content>.Type?
  @exclusivity(unchecked) @usableFromInline final var metadata: FieldMetadata<Content>?

  /// Creates a field of values that the compiler does not know to be `Equatable`. The conformance is looked up at run
  /// time, once per type. Without it, every set counts as a change.
  ///
  /// - Parameters:
  ///   - initial: the first value. A field with one counts as loaded.
  ///   - name: the name shown to users.
  ///   - key: the key in dictionaries and JSON; dots address nested objects. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the value is kept out of errors, messages and descriptions.
  @inlinable
  public init(
    _ initial: Content? = nil, name: String? = nil, key: String? = nil, priority: Int? = nil, sensitive: Bool = false
  ) {
    equality = ValueEquality<Content>.foundAtRunTime()
    super.init(initial, flags: [])
    if initial != nil { setInitialState() }
    if name != nil || key != nil || priority != nil || sensitive {
      metadata = .declaring(name: name, key: key, priority: priority, isSensitive: sensitive)
    }
  }

  /// Creates a field of comparable values. Observers are notified when the value differs.
  ///
  /// - Parameters:
  ///   - initial: the first value. A field with one counts as loaded.
  ///   - name: the name shown to users.
  ///   - key: the key in dictionaries and JSON; dots address nested objects. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the value is kept out of errors, messages and descriptions.
  @inlinable
  public init(
    _ initial: Content? = nil, name: String? = nil, key: String? = nil, priority: Int? = nil, sensitive: Bool = false
  ) where Content: Equatable {
    equality = EquatableEquality<Content>.self
    super.init(initial, flags: [])
    if initial != nil { setInitialState() }
    if name != nil || key != nil || priority != nil || sensitive {
      metadata = .declaring(name: name, key: key, priority: priority, isSensitive: sensitive)
    }
  }

  /// Creates a field for a subclass.
  @inlinable
  init(
    unset value: Content?, metadata: FieldMetadata<Content>?, equality: ValueEquality<Content>.Type?,
    flags: FieldFlags = []
  ) {
    self.equality = equality
    super.init(value, flags: flags)
    self.metadata = metadata
  }

  // Here and not in `AnyField`, whose `deinit` runs after the value was released: that release may run code that uses
  // this field.
  deinit { unmanagedDetails?.release() }

  // MARK: Value

  // Final, and so as fast as the value. A subclass that is a wrapper itself has to declare its own: with
  // `@_nonoverride`.
  /// The value, as a property declared with `@Field` has it.
  @inlinable
  public final var wrappedValue: Content? {
    get { value }
    set { value = newValue }
    _modify { yield &value }
  }

  /// The field of a property declared with `@Field`: `$name`.
  @inlinable
  public final var projectedValue: Field<Content> { self }

  /// Returns the value that the field stores in place of one that is set.
  func coercion(of value: Content) -> Coercion<Content> { metadata?.coerce?(value) ?? .none }

  /// Returns the value of a subclass that stores it elsewhere.
  @_spi(ModelKitInternals)
  open func hookedValue() -> Content? { storage }

  /// Sets the value of a subclass that does more than to store it.
  @_spi(ModelKitInternals)
  open func setHooked(_ newValue: Content?, stamp: ChangeStamp) {
    if flags.contains(.reportsSets) { storeAndReport(newValue, stamp: stamp) } else { store(newValue, stamp: stamp) }
  }

  /// Called on every set if ``reportsSets`` is true, whether or not the value differs: after it was stored, before the
  /// observers are notified. Does nothing unless overridden.
  ///
  /// Named after Swift's own property observer. The field may be set again from here, and that value then replaces this
  /// one. The override has to make sure that such sets end.
  ///
  /// - Parameters:
  ///   - oldValue: the value before.
  ///   - newValue: the value now, as the domain changed it.
  open func didSet(from oldValue: Content?, to newValue: Content?) {}

  /// Calls the hooks that receive every set.
  func reportSet(from oldValue: Content?, to newValue: Content?) {
    didSet(from: oldValue, to: newValue)
    callSetHandlers(from: oldValue, to: newValue)
  }

  // MARK: For subclasses that keep relations

  /// Creates a field whose value is set through ``setHooked(_:stamp:)``.
  @_spi(ModelKitInternals)
  public init(
    hooked value: Content?, name: String?, key: String?, priority: Int?, comparing comparison: ObjectComparison<Content>
  ) {
    equality = comparison.equality
    super.init(value, flags: [.hooksSet, .relation])
    if name != nil || key != nil || priority != nil {
      metadata = .declaring(name: name, key: key, priority: priority)
    }
  }

  // MARK: Erased access

  /// The type of the value, without the optional.
  public final override var valueType: Any.Type { Content.self }

  /// The value, whatever its type.
  public final override var anyValue: Any? { value }

  /// Sets the value if it has the right type.
  ///
  /// - Throws: ``FieldError`` with ``FieldError/Code/wrongType`` for a value of another type; the old value stays.
  public final override func set(anyValue: Any?) throws {
    guard let anyValue else {
      value = nil
      return
    }
    guard let typed = anyValue as? Content else { throw wrongType(type(of: anyValue)) }
    value = typed
  }

  // MARK: Copying and merging

  /// Returns a field with the same value, states and declaration that is independent of this one.
  ///
  /// Name, key, priority, rules, domain and transformer are copied, and so are the stamps, so that neither field is
  /// newer. A copy of a field that was never set is unset. Observers, owner, closures given to ``onSet(_:)`` and
  /// validation results are not copied. A copy of a relation is a plain field that retains the same models and has no
  /// inverse.
  /// - Returns: a ``Field``, or for lists an ``ArrayField``. A subclass of your own may override this.
  open override func copy() -> Field<Content> { Field(copying: self) }

  /// Takes the value of another field if that value is loaded and newer: see the method for fields of one type.
  @discardableResult
  public final override func merge(from other: AnyField) throws -> Bool {
    guard let other = other as? Field<Content> else { return try super.merge(from: other) }
    return merge(from: other)
  }

  /// Returns a copy that takes every value of this field, its prototype, until it is set itself.
  ///
  /// ```swift
  /// let standard = Field("Helvetica")
  /// let heading = standard.clone()
  /// standard.value = "Times"        // heading is Times as well
  /// heading.value = "Futura"        // heading no longer follows standard
  /// ```
  ///
  /// Any set of the clone that does not come from the prototype detaches it, even one to the same value, a binding or a
  /// read. A value taken from the prototype keeps the prototype's stamp, does not make the clone dirty, and passes the
  /// clone's own domain. A clone of a clone follows that clone. A clone retains its prototype until it is detached; a
  /// prototype references its clones weakly.
  ///
  /// - Returns: a ``Field``, or for lists an ``ArrayField``, as a copy is.
  open func clone() -> Field<Content> {
    let clone = copy()
    clone.follow(self)
    return clone
  }

  // MARK: For models

  @_spi(ModelKitInternals)
  open override func takeValue(of other: AnyField) {
    guard let other = other as? Field<Content> else { return }
    takeValue(of: other)
  }

  @_spi(ModelKitInternals)
  open override func captureState() -> FieldState { ValueState(of: self) }

  @_spi(ModelKitInternals)
  open override func reinstate(_ state: FieldState, exactly isExact: Bool, marksClean: Bool) {
    reinstateValue(state, exactly: isExact, marksClean: marksClean)
  }

  @_spi(ModelKitInternals)
  open override func unload() { unloadValue() }

  @_spi(ModelKitInternals)
  public final override func hasSameValue(as other: AnyField) -> Bool {
    guard let other = other as? Field<Content> else { return false }
    return areSame(value, other.value, in: .standard)
  }

  public final override func rename(_ name: String?) { metadata = .naming(name, on: metadata) }

  public final override func prioritize(_ priority: Int?) { metadata = .prioritizing(priority, on: metadata) }

  public final override var anyAllowedValues: [Any]? { allowedValues }

  public final override func copyValue(from other: AnyField, keepingTimestamps: Bool = false) throws {
    guard let other = other as? Field<Content> else { throw wrongType(other.valueType) }
    if keepingTimestamps { copyValueAndStamps(of: other) } else { value = other.value }
  }

  // MARK: Declaration

  /// The name given in the declaration.
  @_spi(ModelKitInternals) public final override var declaredName: String? { metadata?.name }

  /// The key given in the declaration.
  @_spi(ModelKitInternals) public final override var declaredKey: String? { metadata?.key }

  /// The position in a form; fields with small numbers come first.
  public final override var priority: Int? { metadata?.priority }

  /// Whether the value is kept out of errors, messages and descriptions.
  public final override var isSensitive: Bool { metadata?.isSensitive ?? false }

  @_spi(ModelKitInternals)
  open override var describedValue: Any? { storage }

  // Most fields are declared without rules: the generic type of the declaration need not be looked up for them.
  override func ruleViolations() -> [RuleViolation] { metadata == nil ? [] : violationsOfRules() }

  override var hasAsynchronousRules: Bool { metadata == nil ? false : hasDeclaredAsynchronousRules }

  override func asynchronousChecks() -> [AsynchronousCheck] {
    guard let metadata, let value else { return [] }
    return metadata.asynchronousRules.map { $0.check(of: value) }
  }

  override func observeChanges(_ action: @escaping () -> Void) -> ObservationToken? {
    addObserver(updateImmediately: false) { (_: Content?) in action() }
  }

  // MARK: Reading and writing

  @_spi(ModelKitInternals)
  open override func staged(_ json: JSONValue, by reader: FieldReader) throws -> () -> Void {
    let value: Content?
    do { value = try importedValue(json, in: reader.context) } catch { throw withoutSecrets(error) }
    return reader.edits.map { edit(value, $0, in: reader.context) } ?? { [self] in load(value, stamp: .next()) }
  }

  override var hasObservers: Bool { isObserved }

  override func hasValue(of other: AnyField) -> Bool {
    (other as? Field<Content>).map { !isChange(from: storage, to: $0.storage) } ?? false
  }

  override func hasValue(_ json: JSONValue, in context: ValueTransformerContext) -> Bool {
    (try? importedValue(json, in: context)).map { !isChange(from: storage, to: $0) } ?? false
  }

  override func load(readBy other: AnyField, stamp: ChangeStamp) {
    if let other = other as? Field<Content> { load(other.storage, stamp: .next()) }
  }

  override func load(read json: JSONValue, in context: ValueTransformerContext, stamp: ChangeStamp) throws {
    load(try importedValue(json, in: context), stamp: stamp)
  }

  @_spi(ModelKitInternals)
  open override func exported(by writer: FieldWriter) throws -> JSONValue? {
    guard let value else { return nil }
    let json: JSONValue
    do { json = try exportedValue(value, in: writer.context) } catch { throw withoutSecrets(error) }
    // A value written as null reads back as nil, and so is left out wherever nil is.
    if json.isNull, !writer.context.explicitNull { return Optional<JSONValue>.none }
    return json
  }

  @_spi(ModelKitInternals)
  public override func exportedBaseline(by writer: FieldWriter) throws -> JSONValue? {
    guard let known = knownBaseline else { return nil }
    guard let baseline = known else { return .some(.null) }
    do { return try exportedValue(baseline, in: writer.context) } catch { throw withoutSecrets(error) }
  }

  @_spi(ModelKitInternals)
  public final override var hasSavedValue: Bool {
    guard flags.contains(.dirty) else { return true }
    return replacedBaseline().map { !isChange(from: $0, to: storage) } ?? false
  }

  @_spi(ModelKitInternals)
  public override func readsSameValue(
    _ json: JSONValue, _ other: JSONValue, in context: ValueTransformerContext
  ) -> Bool {
    do {
      return areSame(
        constrained(try importedValue(json, in: context)), constrained(try importedValue(other, in: context)),
        in: context)
    } catch {
      return false
    }
  }

  func importedValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Content? {
    if json.isNull { return nil }
    if let transformer = metadata?.transformer?.transformer(in: context) {
      return try transformer.read(json, in: context)
    }
    return try context.importValue(json, as: Content.self)
  }

  /// Whether the elements of a list have a transformer of their own.
  var transformsElements: Bool { false }

  /// Returns the transformer that a list makes of that of its elements; nil for other fields.
  func elementwiseTransformer(in context: ValueTransformerContext) -> (any ValueTransforming<Content>)? { nil }

  func exportedValue(_ value: Content, in context: ValueTransformerContext) throws -> JSONValue {
    if let transformer = metadata?.transformer?.transformer(in: context) {
      return try transformer.write(value, in: context)
    }
    return try context.exportValue(value)
  }
}

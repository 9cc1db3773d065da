@_spi(ModelKitInternals) public import FieldKit

/// A to-one relation.
///
/// ```swift
/// final class Company: Model {
///   let name = Field<String>()
///   let employees = ModelField<Person>()*
/// }
/// final class Person: Model {
///   let name = Field<String>()
///   let company = ModelField<Company>(inverse: \.employees)
/// }
/// let person = Person(), company = Company()
/// person.company.value = company
/// assert(company.employees.value == [person])
/// ```
///
/// If the inverse is a to-one relation with a foreign key, and this one is declared without, the related model stores
/// it: see ``ModelObject/fieldsForDictionaryValue()``.
///
/// Each link is retained by the side on which it was set or loaded; the inverse side sees it weakly. A relation without
/// inverse retains. Until a change is saved or reverted, the related model from before it stays retained.
@propertyWrapper
public final class ModelField<Related: Model>: Field<Related>, RelationField, Relation {
  /// Whether the related model is written as its identifier instead of in full.
  public let isForeignKey: Bool
  /// The effect on the related model when the model that has this field is deleted.
  public internal(set) var deleteRule: DeleteRule
  var declaredInverse: ((Related) -> (any RelationField)?)?
  weak var backLink: Related?
  var backLinkIdentity: LinkIdentity?
  weak var original: ToOneBaseline<Related>?
  /// The kind of the next change.
  var nextChange = RelationChange.Kind.local
  private var isToBeAnnounced = false
  var isUneven = false

  /// Creates a relation.
  ///
  /// - Parameters:
  ///   - name: the name of the field for people.
  ///   - key: the key in dictionaries and JSON. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - foreignKey: whether the related model is written as its identifier instead of in full.
  ///   - deleteRule: the effect on the related model when the model that has this field is deleted.
  ///   - inverse: the field of the related model that is the inverse. Declare it on one side; it applies to both.
  ///   - configure: completes the declaration of a property with `@ModelField`, such as with a rule.
  public init(
    name: String? = nil, key: String? = nil, priority: Int? = nil, foreignKey: Bool = false,
    deleteRule: DeleteRule = .nullify, inverse: ((Related) -> any RelationField)? = nil,
    configure: ((ModelField) -> Void)? = nil
  ) {
    isForeignKey = foreignKey
    self.deleteRule = deleteRule
    declaredInverse = inverse
    super.init(hooked: nil, name: name, key: key, priority: priority, comparing: .sameObject)
    configure?(self)
  }

  /// The related model, as a property declared with `@ModelField` has it:
  /// `@ModelField(inverse: \.$books) var author: Author?`.
  @_nonoverride
  @inlinable
  public var wrappedValue: Related? {
    get { value }
    set { value = newValue }
    _modify { yield &value }
  }

  /// The relation of a property declared with `@ModelField`.
  @_nonoverride
  @inlinable
  public var projectedValue: ModelField<Related> { self }

  deinit {
    // The field may hold the last reference to a long chain of models.
    var last: AnyObject? = moveStoredValue()
    ReleaseQueue.release(&last)
  }

  /// The related model, or an empty list.
  public var relatedModels: [ModelObject] { value.map { [$0] } ?? [] }

  /// The class of the related model.
  public var relatedClass: ModelObject.Type { Related.self }

  /// Whether the relation can reference more than one model: false.
  public var isToMany: Bool { false }

  // MARK: Value

  @_spi(ModelKitInternals)
  public override var describedValue: Any? { liveValue }

  var liveValue: Related? { readsThroughHook ? backLink : storedValue }

  @_spi(ModelKitInternals)
  public override func hookedValue() -> Related? {
    if let backLink { return backLink }
    // The weakly held model was deallocated; only its identifier is known.
    guard let identifier = backLinkIdentity?.identifier else {
      if loadState == .loaded { loadState = .incomplete }
      return nil
    }
    let unloadedReference = unloadedReference(identifier)
    retain(unloadedReference)
    let change = RelationChange(.reading)
    linkInverse(unloadedReference, change)
    change.announce()
    return unloadedReference
  }

  /// Returns an unloaded reference in place of a deallocated model.
  func unloadedReference(_ identifier: String) -> Related {
    if let map = ownerModel?.identityMap { return Related.with(identifier: identifier, in: map.scope) }
    let unloadedReference = Related()
    unloadedReference.becomeUnloadedReference(identifier: identifier)
    return unloadedReference
  }

  @_spi(ModelKitInternals)
  public override func setHooked(_ newValue: Related?, stamp: ChangeStamp) {
    let change = RelationChange(stamp: stamp, nextChange, of: self)
    nextChange = .local
    let newValue = newValue.map { copyInDraft(of: $0, change) }
    let oldValue = liveValue
    change.noteInverses(of: self)
    // An identifier without a live model is a value too: setting nil cuts the link.
    let isChange = oldValue !== newValue || (newValue == nil && backLinkIdentity?.identifier != nil)
    // The first value of a relation is an edit even if it is nil: the stored one may be another.
    let isEdit = isChange || (newValue == nil && change.kind == .local && loadState == .notLoaded)
    if isEdit {
      keepBaseline(before: change)
      prepareToSet(isChange: true)
    } else if change.kind == .reversion {
      // The revert of an explicit nil changes the states only.
      change.willChange(self)
    }
    if let newValue, isChange { retain(newValue) } else if newValue == nil { release() }
    mark(from: oldValue, isChange: isEdit, change)
    if isChange {
      if let oldValue { cutInverse(oldValue, change) }
      if let newValue, change.kind != .reversion || original?.isSilent != true {
        shareScope(with: newValue, change)
        linkInverse(newValue, change)
      }
    }
    cutStaleInverses(except: newValue.map { [$0] } ?? [], change)
    change.announce()
  }

  func retain(_ model: Related) {
    storedValue = model
    backLink = nil
    backLinkIdentity = nil
    readsThroughHook = false
    if !isForeignKey { model.noteContainer(self) }
  }

  func see(_ model: ModelObject) {
    guard let model = model as? Related else { return }
    storedValue = nil
    backLink = model
    backLinkIdentity = LinkIdentity(model)
    readsThroughHook = true
    if !isForeignKey, ownerModel?.hasNoIdentifier == false { model.noteContainer(self) }
  }

  /// Removes the identifier of a related model that was deallocated.
  func removeReleasedModel() {
    if readsThroughHook, backLink == nil { release() }
  }

  func restoreReleasedLink(to model: ModelObject, _ change: RelationChange) {
    guard readsThroughHook, backLink == nil, let identifier = backLinkIdentity?.identifier,
      ExactText(identifier) == model.identifierToRegister.map({ ExactText($0.text) })
    else { return }
    change.willChange(self)
    isUneven = true
    see(model)
  }

  func release() {
    storedValue = nil
    backLink = nil
    backLinkIdentity = nil
    readsThroughHook = false
  }

  func mark(from oldValue: Related?, isChange: Bool, _ change: RelationChange) {
    markSet(isChange: isChange, stamp: change.stamp, isRead: change.isRead)
    // A notification that is already pending, from this change or an enclosing one, uses the value at its time.
    guard isObserved, !isToBeAnnounced else { return }
    isToBeAnnounced = true
    change.add { [self, stamp = change.stamp] in
      isToBeAnnounced = false
      let newValue = liveValue
      announce(from: oldValue, to: newValue, isChange: oldValue !== newValue, stamp: max(stamp, lastChange))
    }
  }

  @_spi(ModelKitInternals)
  public override func unload() {
    // The current model is the old value that observers receive.
    storedValue = liveValue
    backLink = nil
    backLinkIdentity = nil
    readsThroughHook = false
    isUneven = true
    rememberStaleInverses()
    super.unload()
  }

  // MARK: Inverse

  @_spi(ModelKitInternals)
  public override var hasReleasedModels: Bool {
    isForeignKey && readsThroughHook && backLink == nil && backLinkIdentity?.identifier != nil
  }

  @_spi(ModelKitInternals)
  public override var canSeeUntouched: Bool { isUntouched && !isUneven }

  @_spi(ModelKitInternals)
  public override func seeUntouched(_ model: AnyObject, stamp: ChangeStamp) -> Bool {
    guard canSeeUntouched, type(of: model) == Related.self else { return false }
    let model = unsafeDowncast(model, to: Related.self)
    backLink = model
    backLinkIdentity = LinkIdentity(model)
    readsThroughHook = true
    markReadUntouched(isChange: true, stamp: stamp, isSource: false)
    return true
  }

  // MARK: Undo

  @_spi(ModelKitInternals)
  public override func captureState() -> FieldState {
    ToOneState(of: self, liveValue, isRetained: !readsThroughHook, backLinkIdentity, original)
  }

  @_spi(ModelKitInternals)
  public override func reinstate(_ state: FieldState, exactly isExact: Bool, marksClean: Bool) {
    reinstateModel(state, exactly: isExact, marksClean: marksClean)
  }

  /// Sets a captured link without updating the inverse.
  func refer(to state: ToOneState<Related>) {
    release()
    if let model = state.model {
      if state.isRetained { retain(model) } else { see(model) }
    } else if state.identity != nil {
      backLinkIdentity = state.identity
      readsThroughHook = true
    }
    isUneven = state.isUneven
  }

  /// Sets the baseline whose restoration was reinstated.
  func reinstateBaseline(_ original: ToOneBaseline<Related>?) { self.original = original }

  // States that histories and transactions recorded may retain it longer than the field.
  @_spi(ModelKitInternals)
  public override func discardBaseline() { original = nil }

  // MARK: Reading and writing

  @_spi(ModelKitInternals)
  public override func staged(_ json: JSONValue, by reader: FieldReader) throws -> () -> Void {
    if hasTransformer(in: reader.context) {
      if (reader as? ModelReader)?.isInOuterRecord(self) == true { return {} }
      let apply = try super.staged(json, by: reader)
      return { [self] in
        if (reader as? ModelReader)?.keeps(self) == true { return }
        if reader.edits == nil { nextChange = .reading }
        apply()
      }
    }
    guard let reader = reader as? ModelReader else {
      return try ModelReader.staged(json, into: self, in: reader.context)
    }
    let stated =
      json.isNull
      ? nil
      : try reader.stage(
        json, as: Related.self, isForeignKey: isForeignKey, into: reader.readsInPlace(self) ? liveValue : nil,
        of: self)
    if reader.isInOuterRecord(self) { return stated?.link ?? {} }
    let related = reader.withContainingModel(stated)
    if let edits = reader.edits { return edit(related, edits) }
    return { [self] in
      if reader.keeps(self) {
        // The inverse inside an embedded model would replace the kept one.
        if related?.model.hasNoIdentifier == false { related?.link() }
        return
      }
      read(related?.model)
      related?.link()
      if let model = related?.model { keepLinks(to: [model]) }
    }
  }

  func keepLinks(to models: [ModelObject]) {
    guard let model = models.first as? Related, liveValue !== model, let owner = ownerModel,
      owner.modelIdentifier == nil || inverse(on: model)?.isToMany == true
    else { return }
    read(model)
  }

  private func read(_ model: Related?) {
    nextChange = .reading
    load(model, stamp: .next())
  }

  @_spi(ModelKitInternals)
  public override func load(readRelated models: [AnyObject]?) { read(models?.first as? Related) }

  @_spi(ModelKitInternals)
  public override func withRelatedObjects(
    _ body: (UnsafeBufferPointer<Unmanaged<AnyObject>>?) throws -> Bool
  ) rethrows -> Bool {
    guard !isUneven else { return false }
    guard let model = liveValue else { return try backLinkIdentity == nil && body(nil) }
    return try withExtendedLifetime(model) {
      try withUnsafePointer(to: Unmanaged.passUnretained(model as AnyObject)) {
        try body(UnsafeBufferPointer(start: $0, count: 1))
      }
    }
  }

  @_spi(ModelKitInternals)
  public override func writeRelated(
    _ key: UnsafeBufferPointer<UInt8>, to json: inout JSONWriter, by writer: FieldWriter
  ) throws {
    try ModelWriter.writer(for: self, writer).write(value, key, isForeignKey: isForeignKey, to: &json)
  }

  @_spi(ModelKitInternals)
  public override func exported(by writer: FieldWriter) throws -> JSONValue? {
    if hasTransformer(in: writer.context) { return try super.exported(by: writer) }
    guard let value else { return nil }
    let writer = ModelWriter.writer(for: self, writer)
    return try writer.json(of: value, isForeignKey: isForeignKey)
  }
}

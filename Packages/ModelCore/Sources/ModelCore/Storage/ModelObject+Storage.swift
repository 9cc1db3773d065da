@_spi(ModelKitInternals) public import FieldKit

/// The requirements of stores for models of any type.
@_spi(ModelKitInternals)
extension ModelObject {
  /// The identifier as text.
  public var storedIdentifier: String? { modelIdentifier }

  /// The baseline of the identifier, if the identifier was changed and its baseline is known.
  public var formerIdentifier: String? {
    guard let field = identifierField, field.isDirty else { return nil }
    // A copy has the baseline of its original, and no observers.
    let copy: AnyField = field.copy()
    return copy.restore() ? Self.identifier(in: copy) : nil
  }

  /// Sets the identifier from text.
  ///
  /// - Returns: `false` if there is no identifier field, or it can't hold this text.
  public func assignIdentifier(_ identifier: String) -> Bool { setIdentifier(identifier) }

  /// Returns a given identifier as a store would write it; nil if the field can't hold it.
  public func storedValue(ofIdentifier identifier: String, in context: ValueTransformerContext) -> StoredValue? {
    guard let field = identifierField, let key = field.key else { return nil }
    let sample = Self()
    guard sample.setIdentifier(identifier), let sampleField = sample.identifierField,
      let json = try? sampleField.exported(by: FieldWriter(context: context))
    else { return nil }
    var keys: [String: String] = [:]
    return StoredValue(path: context.key(key, &keys).split(separator: ".").map(String.init), value: json)
  }

  /// Whether the model was deleted from a store and not created again since.
  public var isDeletedFromStore: Bool { isDeleted }

  /// Whether a store has the model: it was created there or read from there. Reading from JSON does not change this.
  public var isKnownToStore: Bool { isStored }

  /// The load state of the model.
  public var loadStateOfModel: LoadState { modelLoadState }

  /// Marks the model as deleted. It can be created again.
  ///
  /// - Parameter scope: the scope of the store, whose models may reference the deleted one.
  public func markDeleted(in scope: ModelScope) {
    markNew()
    isDeleted = true
    detailsForWriting.deletions += 1
    scope.map.hasDeletions = true
  }

  /// The number of times that the model was marked as deleted.
  public var deletionCount: Int { details?.deletions ?? 0 }

  /// Marks the model as not stored.
  func markNew() {
    origin = .new
    isStored = false
    details?.documentLoad = nil
  }

  /// Returns the given fields as a store writes them, each with its path. The objects of relations precede fields
  /// inside them.
  ///
  /// - Throws: ``ModelEncodingError`` for a value that can't be written.
  public func storedValues(
    of fields: [AnyField], in context: ValueTransformerContext
  ) throws -> [StoredValue] {
    try ModelWriter(context: context).values(of: self, fields: fields)
  }

  /// Returns the paths of fields whose keys have dots.
  public func nestedPaths(in context: ValueTransformerContext) -> [[String]] {
    var paths: [[String]] = []
    forEachField { field, index in
      let key = context.key(key(of: field, at: index))
      if key.utf8.contains(UInt8(ascii: ".")) { paths.append(key.split(separator: ".").map(String.init)) }
    }
    return paths
  }

  /// Whether the model may be part of a cycle, because it has relations.
  public var mayBeInCycle: Bool { !layout.relationIndices.isEmpty || hasDynamicFields }

  /// Returns the given fields as ``storedValues(of:in:)`` does, for a model that gets its first identifier with the
  /// save.
  ///
  /// - Returns: the values, with the mark as a placeholder wherever the model is referenced.
  /// - Throws: ``ModelEncodingError`` for a value that can't be written.
  public func storedValues(
    of fields: [AnyField], in context: ValueTransformerContext, identifiedBy mark: JSONValue
  ) throws -> [StoredValue] {
    let writer = ModelWriter(context: context)
    writer.newcomer = (self, mark)
    return try writer.values(of: self, fields: fields)
  }

  /// The fields whose values lack a link to this model as long as it has no identifier. These have a foreign key to it,
  /// also inside embedded models. A field whose inverse is written is not among them.
  public var fieldsReferencingItself: [AnyField] {
    storableFields.filter { field in
      var seen: Set<ModelObject> = [self]
      var pending = [field]
      while let field = pending.popLast() {
        guard field.isRelation, let relation = field as? any Relation else { continue }
        if relation.isForeignKey {
          guard relation.refers(to: self), let owner = relation.ownerModel else { continue }
          if owner === self || relation.inverse(on: self)?.refers(to: owner) != true { return true }
        } else {
          for model in relation.relatedModels where seen.insert(model).inserted { pending += model.allFields }
        }
      }
      return false
    }
  }

  /// The fields that are loaded or set.
  public var storableFields: [AnyField] {
    fieldsForDictionaryValue().filter { field in
      switch field.loadState {
      case .loaded: true
      case .incomplete: origin == .new
      default: false
      }
    }
  }

  /// Whether any field is nil here and has a value in a new model of the class.
  public var lacksInitialValue: Bool {
    let empty = storableFields.filter { !$0.isRelation && $0.anyValue == nil }
    if empty.isEmpty { return false }
    let new = (identityMap?.transformers ?? .standard).prepared(type(of: self).init())
    return empty.contains { new.field(like: $0)?.anyValue != nil }
  }

  /// Returns the first value that a record without it would lack: a new model breaks the rules of its field.
  ///
  /// - Parameter fields: the fields of the record.
  public func requiredField(besides fields: [AnyField]) -> AnyField? {
    let others = storableFields.filter { field in !fields.contains { $0 === field } }
    if others.isEmpty { return nil }
    let new = (identityMap?.transformers ?? .standard).prepared(type(of: self).init())
    return others.first { new.field(like: $0)?.passesRules() == false }
  }

  /// Marks values as unsaved that a creation of the model did not write, although they are not edits.
  ///
  /// - Parameters:
  ///   - fields: the fields that the creation did not write.
  ///   - stamp: the start of the creation. Values that were read since come from the store.
  public func markUnsaved(_ fields: [AnyField], unlessSetSince stamp: ChangeStamp) {
    let left = fields.filter { !$0.isDirty && $0.loadState != .notLoaded && $0.lastSet <= stamp }
    for field in left {
      field.markNeverSaved()
      field.registerRestoration { _ in false }
    }
    if let identityMap, !left.isEmpty { identityMap.keep(self) }
  }

  /// Marks edited lists that are in no record as loaded, so that an update of this stored model writes them.
  public func completeListsInNoRecord() {
    for index in layout.relationIndices {
      guard let field = layout.field(at: index, of: self), field.isDirty else { continue }
      (field as? any Relation)?.completeIfInNoRecord()
    }
  }

  /// The fields that changed since the model was last read or saved.
  public var dirtyFields: [AnyField] {
    for index in layout.relationIndices {
      guard let field = layout.field(at: index, of: self), field.isDirty else { continue }
      (field as? any Relation)?.removeReleasedMembers()
    }
    guard case .all(let mask) = allStoredFields else { return storableFields.filter(\.isDirty) }
    var fields: [AnyField] = []
    var relationCount = 0
    for index in layout.slots.indices where mask & 1 &<< UInt64(index) != 0 {
      guard let field = layout.field(at: index, of: self), field.isDirty else { continue }
      if field.isRelation { relationCount += 1 }
      fields.append(field)
    }
    // The first occurrence of a model is written in full, so the order of several relations matters.
    return relationCount < 2 ? fields : storableFields.filter(\.isDirty)
  }

  /// Checks the asynchronous rules of the values to save, after `beforeSave` has changed them.
  ///
  /// A store calls it before it captures the values, and then ``runBeforeSave()``. Runs in the isolation of the caller.
  public func finishChecksForSaving() async {
    guard hasChecksForSaving else { return }
    let start = ChangeStamp.next()
    ModelHook.beforeSave.run(on: self)
    detailsForWriting.beforeSave = (start, .next())
    await finishChecks()
  }

  /// Runs `beforeSave()`, unless ``finishChecksForSaving()`` has run it and no field was set since.
  ///
  /// - Returns: the time before the hook ran. The fields that changed since are part of the save.
  public func runBeforeSave() -> ChangeStamp {
    let former = details?.beforeSave
    details?.beforeSave = nil
    if let former, !([self] + EmbeddedModels(of: self).models).contains(where: { $0.wasSet(after: former.end) }) {
      return former.start
    }
    let start = ChangeStamp.next()
    ModelHook.beforeSave.run(on: self)
    return start
  }

  private func wasSet(after stamp: ChangeStamp) -> Bool { orderedFields.contains { $0.lastSet > stamp } }

  /// Checks the asynchronous rules of the values that the store does not have. Runs in the isolation of the caller.
  public func finishChecks() async {
    guard hasChecksForSaving else { return }
    let models = [self] + EmbeddedModels(of: self).models
    await FieldValidation.finishChecks(of: models.flatMap(\.orderedFields)) { needsAsynchronousCheck(of: $0) }
  }

  /// Whether fields of the model, or of its embedded models, have asynchronous rules.
  public var hasChecksForSaving: Bool {
    hasAsynchronousRules || EmbeddedModels(of: self).models.contains(where: \.hasAsynchronousRules)
  }

  private var hasAsynchronousRules: Bool {
    var isFound = false
    forEachField { field, _ in isFound = isFound || field.needsAsynchronousValidation }
    return isFound
  }

  /// Returns whether the value of a field of the model, or of one that it contains, is checked by asynchronous rules. A
  /// value that the store has was checked before: a test for a unique name would find the model itself.
  func needsAsynchronousCheck(of field: AnyField) -> Bool {
    !isStored || (field.owner as? ModelObject)?.origin != .read || !field.hasSavedValue
  }

  /// Validates the model as a store does before a save, and returns the errors.
  @discardableResult
  public func validateForSaving() -> [ModelValidationError] {
    // No descriptions are created for a valid model.
    let embedded = EmbeddedModels(of: self)
    guard details == nil, embedded.isEmpty, !hasInvalidLinks else {
      validateFields(isForSaving: true)
      embedded.reportRepetitions()
      for model in embedded.models + [self] { addErrorsOfUncheckedFields(of: model) }
      return fieldErrors
    }
    forEachField { field, _ in if isCheckedForSaving(field) { _ = field.passesRules() } }
    validateModel()
    addErrorsOfUncheckedFields(of: self)
    var isValid = details == nil
    forEachField { field, _ in isValid = isValid && !field.isKnownInvalid }
    return isValid ? [] : fieldErrors
  }

  /// Adds an error for each field whose asynchronous rules were not checked.
  private func addErrorsOfUncheckedFields(of model: ModelObject) {
    model.forEachField { field, _ in
      guard field.awaitsCheck, needsAsynchronousCheck(of: field) else { return }
      field.addViolation(RuleViolation(code: "unchecked", message: "was not checked: call validateFully() first"))
    }
  }

  /// Marks the given fields as saved with their values at a moment. Later changes stay dirty.
  public func markSaved(_ fields: [AnyField], asOf stamp: ChangeStamp) {
    noteSaveEnds()
    origin = .read
    isStored = true
    isDeleted = false
    readVersion = nil
    for field in fields {
      field.markWritten(asOf: stamp)
      if field.isRelation { (field as? any Relation)?.updateLoadStateAfterWrite() }
    }
    markEmbeddedSaved(in: fields, asOf: stamp)
    noteSaveInDocumentLoad(fields, asOf: stamp)
    releaseSaved(fields)
  }

  /// Releases the saved models from the scope.
  func releaseSaved(_ fields: [AnyField]) {
    guard let identityMap else { return }
    identityMap.releaseIfSaved(self)
    if !fields.isEmpty { releaseEmbedded(in: fields, from: identityMap) }
  }

  /// Embedded models are saved with the model that contains them. If that retains them, the scope releases them.
  private func releaseEmbedded(in fields: [AnyField], from map: IdentityMap) {
    var seen: Set<ModelObject> = [self]
    var pending: [AnyField] = fields
    while let field = pending.popLast() {
      guard let relation = field as? any Relation, !relation.isForeignKey else { continue }
      for model in relation.retainedModels
      where (!model.isStored || model.hasNoIdentifier) && seen.insert(model).inserted {
        map.release(model)
        pending += model.fieldsForDictionaryValue()
      }
    }
  }

  /// The name of the model's type in stores.
  public var storedTypeName: String { layout.typeName }

  /// The topmost class of the hierarchy, with whose name records are stored.
  public static var topOfHierarchy: ModelObject.Type { ModelLayout.rootClass(of: self) }

  /// Returns the class as which a record of this hierarchy is read.
  public static func storedClass(for record: AttributeDictionary) -> ModelObject.Type {
    let root = ModelLayout.rootClass(of: self)
    guard let chosen = root.instanceClass(for: record), isSubclass(chosen, of: root) else { return root }
    return chosen
  }

  /// Returns whether a record of this hierarchy is read as this class or a derived one.
  public static func includes(_ record: AttributeDictionary) -> Bool { isSubclass(storedClass(for: record), of: self) }

  /// Returns whether a class is another one or derived from it.
  static func isSubclass(_ candidate: ModelObject.Type, of other: ModelObject.Type) -> Bool {
    var current: AnyClass? = candidate
    while let known = current {
      if known == other { return true }
      current = _getSuperclass(known)
    }
    return false
  }
}

@_spi(ModelKitInternals) import FieldKit

/// The models of a scope by type and identifier, with the shared state of the scope.
///
/// Models retain the map. The map retains unsaved models while its ``ModelScope`` is alive. It then releases them, so
/// that a released scope leaves no retain cycle.
final class IdentityMap {
  let transformers: ValueTransformerContext
  /// Whether the models are those of a draft, to which the inverses of other models have no links.
  let isDraft: Bool
  /// The draft whose copies are in the scope; nil if the scope belongs to no draft.
  weak var draft: DraftGraph?
  /// The map of the models that were drafted, if these are in one.
  let parent: IdentityMap?
  var conflictHandler: (IdentityConflict) -> Void = IdentityConflict.writeToStandardError
  var decodingIssueHandler: ([ModelDecodingError]) -> Void = ModelDecodingError.writeToStandardError
  private let registry = MemoryRegistry()
  weak var attachedScope: ModelScope?
  var unsaved: Set<ModelObject> = []
  /// Whether a field may be dirty without being watched, so that a recorder would miss its next edit.
  var hasUnwatchedEdits = true
  /// Models with an identifier under which another one is registered.
  private var contenders: [Contender] = []
  private(set) var aliases: [ObjectIdentifier: Aliases] = [:]
  /// The number of models with aliases at which those of deallocated models are removed.
  private var aliasLimit = 64
  /// The model into which a store's response is being read.
  private var answered: ModelObject?
  // Most lookups are for the class of the previous one.
  private var lastClass: ModelObject.Type?
  private var lastKey: ModelTypeKey?
  /// The writers for records of models of this scope, without and with explicit null, created on first use.
  var recordWriters: (RecordWriter?, RecordWriter?)
  /// The readers that convert bytes directly into models, for the classes used in this scope.
  var directReaders: [ObjectIdentifier: DirectClassReader] = [:]
  /// Whether a model was deleted, so that others may reference deleted ones.
  var hasDeletions = false
  /// The classes of stored models.
  var typeNames = StoredTypeNames()
  /// The sources of the classes of records that are not read yet.
  var classSources: [ClassSource] = []
  /// The recorders of edits.
  var undos: [WeakUndo] = []
  /// The recorders of the open transactions of stores.
  var transactions: [TransactionEdits] = []
  /// The failed transaction that is being rolled back.
  weak var rollback: TransactionEdits?
  /// Whether a failed transaction is being rolled back, so that a model that joins the scope belongs to no other
  /// transaction.
  var isRollingBack: Bool { rollback != nil }
  /// The number of the last transaction that began.
  var transactionNumber = 0
  /// An operation of a store whose edits are one step.
  var recordedOperation: AnyObject?
  /// The part of a save that is changing fields.
  var saveChanges: SaveChanges?
  /// Whether the observers of a recorded edit are being notified, so that their edits belong to it.
  var isNotifyingOfEdit = false
  /// The clean fields of models whose records are being read, and that the records contain.
  var fieldsBeingRead: Set<ObjectIdentifier> = []
  /// The live models into which records were read; nil if nothing collects them.
  var readModels: [ModelObject]?
  /// Whether a read is replacing unsaved values by their baselines, because the record has no values for them.
  var isReadingBaselines = false
  /// Whether values of a document are being read, which no store has committed.
  var isReadingDocument = false

  /// The number of calls of `unload()`.
  var unloadCount = 0

  /// The fields that open transactions saved, while another task reads records.
  var protectedFields: Set<ObjectIdentifier> = []

  /// A source of the classes of records, which ends with its owner.
  struct ClassSource {
    weak var owner: AnyObject?
    let classOfRecord: (ModelObject.Type, _ identifier: String) -> ModelObject.Type?
  }

  /// The previous identifiers of a model to which a store gave another one.
  struct Aliases {
    fileprivate weak var model: ModelObject?
    fileprivate let type: ModelTypeKey
    fileprivate var identifiers: [RegisteredIdentifier] = []
  }

  private struct Contender {
    weak var model: ModelObject?
    let identifier: RegisteredIdentifier
  }

  init(transformers: ValueTransformerContext) {
    self.transformers = transformers
    isDraft = false
    parent = nil
  }

  /// Creates the map of a draft of models.
  ///
  /// - Parameter parent: the map of these models, if they are in one.
  init(draftIn parent: IdentityMap?) {
    transformers = parent?.transformers ?? .standard
    isDraft = true
    self.parent = parent
  }

  // MARK: Scope

  /// The scope of this map; a new one if it was deallocated.
  var scope: ModelScope { attachedScope ?? ModelScope(map: self) }

  func attach(_ scope: ModelScope) { attachedScope = scope }

  /// Releases all unsaved models when the scope is deallocated, because they can no longer be saved through it.
  func scopeWasReleased() {
    guard attachedScope == nil else { return }
    let released = unsaved
    unsaved = []
    for model in released { model.watchFields() }
  }

  // MARK: Lookup

  func canonicalModel(of modelClass: ModelObject.Type, identifier: String) -> ModelObject? {
    let identifier = RegisteredIdentifier(identifier)
    if let lastKey, lastClass == modelClass { return canonicalModel(of: lastKey, identifier) }
    let key = ModelTypeKey(modelClass)
    lastClass = modelClass
    lastKey = key
    return canonicalModel(of: key, identifier)
  }

  /// Returns whether it is certain, without reading an identifier, that there is no model of a type.
  func hasNone(of type: ModelTypeKey) -> Bool {
    contenders.isEmpty && registry.hasNone(of: type)
  }

  func canonicalModel(of type: ModelTypeKey, identifier: String) -> ModelObject? {
    canonicalModel(of: type, RegisteredIdentifier(identifier))
  }

  func canonicalModel(of type: ModelTypeKey, _ identifier: RegisteredIdentifier) -> ModelObject? {
    if let model = registered(type, identifier) { return model }
    return contenders.isEmpty ? nil : succeed(type, identifier)
  }

  private func registered(_ type: ModelTypeKey, _ identifier: RegisteredIdentifier) -> ModelObject? {
    // The registry is not retained for the search: it stays the same object.
    Unmanaged.passUnretained(registry)._withUnsafeGuaranteedRef { $0.canonicalModel(of: type, identifier) }
  }

  /// Registers the first waiting model in place of a deallocated one, and returns it.
  private func succeed(_ type: ModelTypeKey, _ identifier: RegisteredIdentifier) -> ModelObject? {
    contenders.removeAll { $0.model == nil }
    let index = contenders.firstIndex { $0.identifier == identifier && $0.model?.typeKey == type }
    guard let index, let model = contenders.remove(at: index).model else { return nil }
    enter(model, type, identifier)
    return model
  }

  /// Returns the class of a reference: in a hierarchy whose records choose their class, that of the stored record.
  func referenceClass<M: Model>(_ type: M.Type, _ identifier: String) -> M.Type {
    if classSources.isEmpty || !type.hierarchyChoosesClasses { return type }
    for source in classSources where source.owner != nil {
      if let chosen = source.classOfRecord(type, identifier) { return chosen as? M.Type ?? type }
    }
    return type
  }

  /// Removes a model that is being deallocated. May be called in any thread.
  func noteEnd(of model: ModelObject, _ identifier: RegisteredIdentifier) {
    registry.noteEnd(of: model, as: model.typeKey, identifier)
  }

  /// Reserves capacity for models that are about to be registered.
  func reserveCapacity(_ count: Int, for type: ModelTypeKey) { registry.reserveCapacity(count, for: type) }

  // MARK: Members

  /// Adds a model to the scope, and registers it under its identifier unless another live model is.
  ///
  /// - Parameter isCreated: whether a store has just created the record. Another model with this identifier was then
  ///   read from a record that is now deleted, and is removed.
  /// - Returns: the model registered under the identifier; the given one if it has no identifier.
  @discardableResult
  func add(_ model: ModelObject, isCreated: Bool = false, group: AnyObject? = nil) -> ModelObject {
    if model.identityMap !== self {
      let group = group ?? (isRecorded ? RecordedOperation() : nil)
      if isCreated { noteCreation(of: model, group: group) }
      join(model)
      if !isDraft { addRelated(to: model, group: group) }
    }
    return register(model, isCreated: isCreated)
  }

  func join(_ model: ModelObject) {
    transformers.prepare(model)
    model.identityMap?.remove(model)
    model.identityMap = self
    // One that a read has made was in no scope when its values were read.
    readModels?.append(model)
    if model.watchFields() || model.origin == .new { keep(model) }
  }

  /// Removes a model under every identifier it had here.
  func remove(_ model: ModelObject) {
    guard model.identityMap === self else { return }
    withdraw(model)
    removeAliases(at: ObjectIdentifier(model))
    contenders.removeAll { $0.model == nil || $0.model === model }
    unsaved.remove(model)
    model.identityMap = nil
    model.endWatchingFields()
  }

  /// Registers a model under its changed identifier.
  @discardableResult
  func register(_ model: ModelObject, isCreated: Bool = false) -> ModelObject {
    let identifier = model.identifierToRegister
    if identifier == model.registeredIdentifier { return model }
    if model.registeredIdentifier != nil {
      if answered === model, identifier != nil { keepAlias(of: model) } else { withdraw(model) }
    }
    guard let identifier else { return model }
    let type = model.typeKey
    if contenders.isEmpty {
      // Set first, so that a registered model always removes itself on deallocation.
      model.registeredIdentifier = identifier
      guard let canonical = registry.claim(model, as: type, identifier) else { return model }
      model.registeredIdentifier = nil
      if isCreated, let registered = resolve(canonical, model, identifier) { return registered }
      reportConflict(model, identifier, canonical)
      return canonical
    }
    if let canonical = canonicalModel(of: type, identifier), canonical !== model {
      if isCreated, let registered = resolve(canonical, model, identifier) { return registered }
      if contenders.contains(where: { $0.model === model && $0.identifier == identifier }) { return canonical }
      contenders.removeAll { $0.model == nil || $0.model === model }
      reportConflict(model, identifier, canonical)
      return canonical
    }
    enter(model, type, identifier)
    return model
  }

  /// Registers a created model in place of one whose record was deleted before. A rollback stores no model again whose
  /// record others deleted and created meanwhile. A new model gives way to one that it stores again.
  ///
  /// - Returns: the model that is registered; nil if neither is stored.
  private func resolve(
    _ registered: ModelObject, _ model: ModelObject, _ identifier: RegisteredIdentifier
  ) -> ModelObject? {
    if !registered.isStored {
      guard rollback != nil, model.isStored else { return nil }
      if registered.isUnloadedReference { remove(registered) } else { withdraw(registered) }
      enter(model, model.typeKey, identifier)
      // It succeeds if the stored model is deallocated.
      if registered.identityMap === self { contenders.append(Contender(model: registered, identifier: identifier)) }
      return model
    }
    let isReplaced = rollback?.createdElsewhere.contains(registered) == true
    let deleted = isReplaced ? model : registered
    if isReplaced { rollback?.deletedElsewhere.insert(model) }
    remove(deleted)
    deleted.markNew()
    deleted.isDeleted = true
    hasDeletions = true
    return isReplaced ? registered : register(model)
  }

  private func reportConflict(_ model: ModelObject, _ identifier: RegisteredIdentifier, _ canonical: ModelObject) {
    contenders.append(Contender(model: model, identifier: identifier))
    conflictHandler(IdentityConflict(canonical: canonical, other: model, identifier: identifier.text))
  }

  /// Returns whether a model is also found by an identifier that a store has replaced.
  func hasAliases(_ model: ModelObject) -> Bool { aliases[ObjectIdentifier(model)]?.model === model }

  /// Keeps a model registered under its previous identifier, in addition to the new one.
  private func keepAlias(of model: ModelObject) {
    guard let old = model.registeredIdentifier else { return }
    let id = ObjectIdentifier(model)
    // The address may have been that of another model before.
    if let known = aliases[id], known.model !== model { removeAliases(at: id) }
    aliases[id, default: Aliases(model: model, type: model.typeKey)].identifiers.append(old)
    if aliases.count > aliasLimit {
      for (id, known) in aliases where known.model == nil { removeAliases(at: id) }
      aliasLimit = max(64, 2 * aliases.count)
    }
    let isRegistered = registered(model.typeKey, old) === model
    registry.withdraw(model, as: model.typeKey, old)
    if isRegistered { registry.putWeakly(model, as: model.typeKey, old) }
    model.registeredIdentifier = nil
  }

  private func enter(_ model: ModelObject, _ type: ModelTypeKey, _ identifier: RegisteredIdentifier) {
    if !contenders.isEmpty { contenders.removeAll { $0.model == nil || $0.model === model } }
    model.registeredIdentifier = identifier
    _ = registry.claim(model, as: type, identifier)
  }

  private func withdraw(_ model: ModelObject) {
    guard let identifier = model.registeredIdentifier else { return }
    // Before the model loses its registered identifier.
    registry.withdraw(model, as: model.typeKey, identifier)
    model.registeredIdentifier = nil
  }

  /// Removes the aliases of a model, unless another one is registered under them.
  private func removeAliases(at id: ObjectIdentifier) {
    guard let known = aliases.removeValue(forKey: id) else { return }
    for identifier in known.identifiers where registered(known.type, identifier) === known.model {
      registry.remove(known.type, identifier)
    }
  }

  /// Reads a store's response into a model. An identifier that is replaced meanwhile stays an alias.
  func answer(_ model: ModelObject, _ read: () -> Void) {
    let outer = answered
    answered = model
    defer { answered = outer }
    read()
  }
}

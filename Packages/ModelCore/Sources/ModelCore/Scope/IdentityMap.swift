@_spi(ModelKitInternals) import FieldKit

/// What a scope knows of its models. Models retain it, and it retains those that have something to be saved, as long as
/// somebody holds the ``ModelScope`` in front of it: so a scope that is let go takes no unsaved models with it into a
/// cycle.
final class IdentityMap {
  let transformers: ValueTransformerContext
  var conflictHandler: (IdentityConflict) -> Void = IdentityConflict.writeToStandardError
  var decodingIssueHandler: ([ModelDecodingError]) -> Void = ModelDecodingError.writeToStandardError
  private let registry = MemoryRegistry()
  private weak var front: ModelScope?
  private(set) var unsaved: Set<ModelObject> = []
  /// Models that have an identifier for which another one is the object.
  private var contenders: [Contender] = []
  /// Identifiers that models had before a store gave them another one.
  private var aliases: [ObjectIdentifier: [RegisteredIdentifier]] = [:]
  /// The model into which a store's answer is being read.
  private var answered: ModelObject?
  // Most lookups are of the class that was looked up before.
  private var lastClass: ModelObject.Type?
  private var lastKey: ModelTypeKey?
  /// What writes the records of models of this scope, without and with explicit null, once it was needed.
  var recordWriters: (RecordWriter?, RecordWriter?)
  /// How models of classes that were met are read straight from bytes in the context of this scope.
  var directReaders: [ObjectIdentifier: DirectClassReader] = [:]
  /// Whether a model was deleted, so that others may refer to deleted ones.
  var hasDeletions = false
  /// The classes that are stored.
  var typeNames = StoredTypeNames()

  private struct Contender {
    weak var model: ModelObject?
    let identifier: RegisteredIdentifier
  }

  init(transformers: ValueTransformerContext) { self.transformers = transformers }

  // MARK: The scope in front

  /// The scope; a new one if nobody holds any.
  var scope: ModelScope { front ?? ModelScope(map: self) }

  func putInFront(_ scope: ModelScope) { front = scope }

  /// Lets all unsaved models go, for there is nobody left who could save them.
  func loseFront() {
    guard front == nil else { return }
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

  /// Whether it is certain, without a look at any identifier, that there is no model of a type.
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
    // Not retained for the search: `registry` is the same object.
    Unmanaged.passUnretained(registry)._withUnsafeGuaranteedRef { $0.canonicalModel(of: type, identifier) }
  }

  /// The first one that waits for the place of a model that is gone.
  private func succeed(_ type: ModelTypeKey, _ identifier: RegisteredIdentifier) -> ModelObject? {
    contenders.removeAll { $0.model == nil }
    let index = contenders.firstIndex { $0.identifier == identifier && $0.model?.typeKey == type }
    guard let index, let model = contenders.remove(at: index).model else { return nil }
    enter(model, type, identifier)
    return model
  }

  /// Forgets a model that comes to its end. May be called in any thread.
  func noteEnd(of model: ModelObject, _ identifier: RegisteredIdentifier) {
    registry.noteEnd(of: model, as: model.typeKey, identifier)
  }

  /// Makes room for models that are about to be registered.
  func reserveCapacity(_ count: Int, for type: ModelTypeKey) { registry.reserveCapacity(count, for: type) }

  // MARK: Members

  /// Makes a model part of the scope, and the object for its identifier unless another live one is.
  ///
  /// - Parameter isCreated: whether a store has just created the record. A stored model with its identifier was then read
  ///   from a record that has been deleted: it gives the identifier up.
  /// - Returns: the object for the identifier; the model itself if it has none.
  @discardableResult
  func add(_ model: ModelObject, isCreated: Bool = false) -> ModelObject {
    if model.identityMap !== self {
      transformers.prepare(model)
      model.identityMap?.remove(model)
      model.identityMap = self
      if model.watchFields() || model.origin == .new { keep(model) }
    }
    return register(model, isCreated: isCreated)
  }

  /// Forgets a model, under every identifier it had here.
  func remove(_ model: ModelObject) {
    guard model.identityMap === self else { return }
    withdraw(model)
    for alias in aliases.removeValue(forKey: ObjectIdentifier(model)) ?? [] { leave(model, alias) }
    contenders.removeAll { $0.model == nil || $0.model === model }
    unsaved.remove(model)
    model.identityMap = nil
    model.endWatchingFields()
  }

  /// Follows a change of a model's identifier.
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
      // First, so that the model is never in the registry without taking itself out at its end.
      model.registeredIdentifier = identifier
      guard let canonical = registry.claim(model, as: type, identifier) else { return model }
      model.registeredIdentifier = nil
      if isCreated, canonical.isStored { return replace(canonical, by: model) }
      tellOfConflict(model, identifier, canonical)
      return canonical
    }
    if let canonical = canonicalModel(of: type, identifier), canonical !== model {
      if isCreated, canonical.isStored { return replace(canonical, by: model) }
      if contenders.contains(where: { $0.model === model && $0.identifier == identifier }) { return canonical }
      contenders.removeAll { $0.model == nil || $0.model === model }
      tellOfConflict(model, identifier, canonical)
      return canonical
    }
    enter(model, type, identifier)
    return model
  }

  /// Registers a model that was created instead of one whose record was deleted before.
  private func replace(_ deleted: ModelObject, by model: ModelObject) -> ModelObject {
    remove(deleted)
    deleted.markNew()
    deleted.isDeleted = true
    hasDeletions = true
    return register(model)
  }

  private func tellOfConflict(_ model: ModelObject, _ identifier: RegisteredIdentifier, _ canonical: ModelObject) {
    contenders.append(Contender(model: model, identifier: identifier))
    conflictHandler(IdentityConflict(canonical: canonical, other: model, identifier: identifier.text))
  }

  /// Leaves a model under the identifier it had, besides the one that it gets.
  private func keepAlias(of model: ModelObject) {
    guard let old = model.registeredIdentifier else { return }
    let id = ObjectIdentifier(model)
    // The address may have been another model's before.
    let known = (aliases[id] ?? []).filter { registered(model.typeKey, $0) === model }
    aliases[id] = known + [old]
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
    // Before the model forgets where it is.
    registry.withdraw(model, as: model.typeKey, identifier)
    model.registeredIdentifier = nil
  }

  /// Forgets an identifier of a model that is not the one under which it is registered.
  private func leave(_ model: ModelObject, _ identifier: RegisteredIdentifier) {
    guard registered(model.typeKey, identifier) === model else { return }
    registry.forget(model.typeKey, identifier)
  }

  /// Reads a store's answer into a model: an identifier that is replaced meanwhile stays an alias.
  func answer(_ model: ModelObject, _ read: () -> Void) {
    let outer = answered
    answered = model
    defer { answered = outer }
    read()
  }

  // MARK: What is to be saved

  /// Retains a model until it is saved.
  func keep(_ model: ModelObject) {
    if front != nil { unsaved.insert(model) }
  }

  /// Retains a model no longer, if there is nothing left to be saved.
  func settle(_ model: ModelObject) {
    if unsaved.contains(model), !model.isUnsaved { release(model) }
  }

  /// Retains a model no longer, until it is changed anew.
  func release(_ model: ModelObject) {
    if unsaved.remove(model) != nil { model.watchFields() }
  }
}

@_spi(ModelKitInternals) import ObservationKit

/// The live models of a scope by type and identifier, held weakly.
///
/// - Note: With `MODELKIT_REGISTRY=weak` in the environment of a process, every model gets a language-level weak
///   reference. Everything works as before, but slowly, and each model takes more memory.
final class MemoryRegistry {
  // A registered model is not held by a language-level weak reference. Creating one takes longer than reading a small
  // model, and slows down every later retain and release. Instead, the registry stores the model's address, which the
  // model's deinitialiser removes. This is safe for a deallocation in any thread because of these rules:
  //
  // 1. Addresses are stored, read and removed only under `lock`.
  // 2. A model in a table is there under its `registeredIdentifier`, in the registry of its `identityMap`, which it
  //    retains. Both stay set until it is removed: see `IdentityMap`. Aliases are held by weak references.
  // 3. The deinitialiser of `ModelObject` takes the lock to remove the model, before the memory of the model is freed.
  //    An address found under the lock therefore points to valid memory of an object.
  // 4. The object may be in deallocation, so it is retained with `swift_tryRetain`, as a weak reference does. That is
  //    atomic, and fails once the last reference is released.
  // 5. No reference that could be the last one is released under the lock: the deinitialiser would deadlock. Only
  //    addresses are handled there, and retained objects are returned.
  // Not `Lock`: its closure costs more than the lock for each lookup.
  private let lock = SystemLock()
  private let isWeak = RetainingLive.isOff
  // Unchecked, because the lock makes each access exclusive.
  @exclusivity(unchecked) private var types: [ModelTypeKey: LiveModels] = [:]
  // Most lookups are for the types of the previous ones. Not retained for each lookup, which would take longer than the
  // search: entries of `types` are never removed.
  @exclusivity(unchecked) private var last: (type: ModelTypeKey, models: Unmanaged<LiveModels>)?
  @exclusivity(unchecked) private var lastButOne: (type: ModelTypeKey, models: Unmanaged<LiveModels>)?

  /// Removes an identifier from the registry.
  func remove(_ type: ModelTypeKey, _ identifier: RegisteredIdentifier) {
    lock.lock()
    let models = models(of: type)
    models?.remove(identifier)
    lock.unlock()
    models?.removeWeakly(identifier)
  }

  /// Returns the live model under an identifier, if there is one.
  func canonicalModel(of type: ModelTypeKey, _ identifier: RegisteredIdentifier) -> ModelObject? {
    lock.lock()
    guard let models = unretainedModels(of: type) else {
      lock.unlock()
      return nil
    }
    let found = models._withUnsafeGuaranteedRef { $0[identifier].flatMap(RetainingLive.tryToRetain) }
    lock.unlock()
    if let found { return Self.model(found) }
    return models.takeUnretainedValue().weakModel(identifier)
  }

  /// Registers a model under an identifier, unless another live model is.
  ///
  /// - Returns: the other model.
  func claim(_ model: ModelObject, as type: ModelTypeKey, _ identifier: RegisteredIdentifier) -> ModelObject? {
    if isWeak { return claimWeakly(model, as: type, identifier) }
    let object = Self.address(of: model)
    lock.lock()
    let models = models(of: type) ?? makeModels(of: type)
    if !models.hasNoneWeakly {
      lock.unlock()
      if let known = models.weakModel(identifier), known !== model { return known }
      models.removeWeakly(identifier)
      lock.lock()
    }
    var other: UnsafeMutableRawPointer?
    models.put(object, identifier) { known in
      if known == object { return true }
      other = RetainingLive.tryToRetain(known)
      return other != nil
    }
    lock.unlock()
    return other.map(Self.model)
  }

  private func claimWeakly(
    _ model: ModelObject, as type: ModelTypeKey, _ identifier: RegisteredIdentifier
  ) -> ModelObject? {
    if let known = canonicalModel(of: type, identifier) { return known === model ? nil : known }
    putWeakly(model, as: type, identifier)
    return nil
  }

  /// Removes a model from the registry, if it is registered under its `registeredIdentifier`.
  func withdraw(_ model: ModelObject, as type: ModelTypeKey, _ identifier: RegisteredIdentifier) {
    let object = Self.address(of: model)
    lock.lock()
    let models = models(of: type)
    models?.remove(object, identifier)
    lock.unlock()
    if let models, models.weakModel(identifier) === model { models.removeWeakly(identifier) }
  }

  /// Removes a model that is being deallocated. May be called in any thread.
  func noteEnd(of model: ModelObject, as type: ModelTypeKey, _ identifier: RegisteredIdentifier) {
    if isWeak { return }
    let object = Self.address(of: model)
    lock.lock()
    models(of: type)?.remove(object, identifier)
    lock.unlock()
  }

  /// Registers a model under an identifier in place of any other, for a model that does not remove itself on
  /// deallocation.
  func putWeakly(_ model: ModelObject, as type: ModelTypeKey, _ identifier: RegisteredIdentifier) {
    lock.lock()
    let models = models(of: type) ?? makeModels(of: type)
    models.remove(identifier)
    lock.unlock()
    models.putWeakly(model, identifier)
  }

  /// Reserves capacity for models that are about to be registered.
  func reserveCapacity(_ count: Int, for type: ModelTypeKey) {
    lock.lock()
    let models = models(of: type) ?? makeModels(of: type)
    if !isWeak { models.numbers.reserveCapacity(count) }
    lock.unlock()
    if isWeak { models.reserveWeakly(count) }
  }

  /// Returns whether no model of a type is registered.
  func hasNone(of type: ModelTypeKey) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard let models = models(of: type) else { return true }
    return models.isEmpty && models.hasNoneWeakly
  }

  // MARK: Types, accessed under the lock

  @inline(__always)
  private func models(of type: ModelTypeKey) -> LiveModels? { unretainedModels(of: type)?.takeUnretainedValue() }

  @inline(__always)
  private func unretainedModels(of type: ModelTypeKey) -> Unmanaged<LiveModels>? {
    if let last, last.type == type { return last.models }
    return otherModels(of: type)
  }

  private func otherModels(of type: ModelTypeKey) -> Unmanaged<LiveModels>? {
    let known = lastButOne?.type == type ? lastButOne?.models : types[type].map(Unmanaged.passUnretained)
    guard let known else { return nil }
    lastButOne = last
    last = (type, known)
    return known
  }

  private func makeModels(of type: ModelTypeKey) -> LiveModels {
    let models = LiveModels()
    types[type] = models
    return models
  }

  // MARK: Addresses

  @inline(__always)
  private static func address(of model: ModelObject) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(model).toOpaque()
  }

  /// Returns the model for an address that was retained under the lock.
  @inline(__always)
  private static func model(_ retained: UnsafeMutableRawPointer) -> ModelObject {
    Unmanaged<ModelObject>.fromOpaque(retained).takeRetainedValue()
  }
}

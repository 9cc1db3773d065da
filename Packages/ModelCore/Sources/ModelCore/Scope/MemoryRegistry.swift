/// The live models of a scope by type and identifier. It holds them weakly, and so keeps nothing alive.
///
/// - Note: In a process with `MODELKIT_REGISTRY=weak` in its environment every model gets a weak reference of the language.
///   Everything works as before, but slowly, and each model takes more memory.
final class MemoryRegistry {
  // A model that a scope registers is not held by a weak reference of the language: to make one takes longer than to
  // read a small model, and makes every later retain and release of the model slower. Instead there is the address of
  // the model, which the model's deinitialiser takes out again. That is sound, in whatever thread a model comes to its
  // end, because of these rules:
  //
  // 1. Addresses are put in, looked at and taken out only under `lock`.
  // 2. A model that is in a table is there under its `registeredIdentifier`, in the registry of its `identityMap`, and it
  //    has retained that. It loses neither before it is taken out: see `IdentityMap`. Its other identifiers are held by
  //    weak references.
  // 3. The deinitialiser of `ModelObject` takes the lock to take the model out, and runs before the memory of the model
  //    is freed. So an address that is found under the lock leads to memory that is still an object.
  // 4. That object may be coming to its end meanwhile, though: nobody could retain it then. So it is retained by
  //    `swift_tryRetain`, which is what a weak reference does too: it is atomic, and fails once the last reference is gone.
  // 5. Nothing is released under the lock that could be the last reference to a model: the deinitialiser would wait for
  //    itself. What is handled there are addresses, and what was retained goes out.
  private let lock = RegistryLock()
  private let isWeak = RetainingLive.isOff
  private var types: [ModelTypeKey: LiveModels] = [:]
  // Most lookups are of the types that were looked up before. Not retained anew for each lookup, which would take longer
  // than the search: what is in `types` stays there.
  private var last: (type: ModelTypeKey, models: Unmanaged<LiveModels>)?
  private var lastButOne: (type: ModelTypeKey, models: Unmanaged<LiveModels>)?

  /// Says that no model has the identifier any more.
  func forget(_ type: ModelTypeKey, _ identifier: RegisteredIdentifier) {
    lock.lock()
    let models = models(of: type)
    models?.remove(identifier)
    lock.unlock()
    models?.removeWeakly(identifier)
  }

  /// The live object for an identifier, if there is one.
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

  /// Makes a model the object for what becomes its `registeredIdentifier`, unless another live one is.
  ///
  /// - Returns: the other one.
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

  /// Forgets that a model is the object for its `registeredIdentifier`, if it is.
  func withdraw(_ model: ModelObject, as type: ModelTypeKey, _ identifier: RegisteredIdentifier) {
    let object = Self.address(of: model)
    lock.lock()
    let models = models(of: type)
    models?.remove(object, identifier)
    lock.unlock()
    if let models, models.weakModel(identifier) === model { models.removeWeakly(identifier) }
  }

  /// Forgets a model that comes to its end. May be called in any thread.
  func noteEnd(of model: ModelObject, as type: ModelTypeKey, _ identifier: RegisteredIdentifier) {
    if isWeak { return }
    let object = Self.address(of: model)
    lock.lock()
    models(of: type)?.remove(object, identifier)
    lock.unlock()
  }

  /// Makes a model the object for an identifier without asking whether another live one is, and whether it says when it
  /// comes to its end.
  func putWeakly(_ model: ModelObject, as type: ModelTypeKey, _ identifier: RegisteredIdentifier) {
    lock.lock()
    let models = models(of: type) ?? makeModels(of: type)
    models.remove(identifier)
    lock.unlock()
    models.putWeakly(model, identifier)
  }

  /// Makes room for models that are about to be registered.
  func reserveCapacity(_ count: Int, for type: ModelTypeKey) {
    lock.lock()
    let models = models(of: type) ?? makeModels(of: type)
    if !isWeak { models.numbers.reserveCapacity(count) }
    lock.unlock()
    if isWeak { models.reserveWeakly(count) }
  }

  /// Whether nothing was registered for a type, or all that was is forgotten.
  func hasNone(of type: ModelTypeKey) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard let models = models(of: type) else { return true }
    return models.isEmpty && models.hasNoneWeakly
  }

  // MARK: Types, under the lock

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

  /// What was retained under the lock, as a model.
  @inline(__always)
  private static func model(_ retained: UnsafeMutableRawPointer) -> ModelObject {
    Unmanaged<ModelObject>.fromOpaque(retained).takeRetainedValue()
  }
}

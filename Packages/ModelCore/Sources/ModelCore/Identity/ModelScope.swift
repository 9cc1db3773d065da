@_spi(ModelKitInternals) public import FieldKit

/// An identity map: within one scope there is one live object per model type and identifier.
///
/// Every store instance has a scope. JSON read with `in: scope` adds its models to it, and a model joins the scope of
/// the model it is related to.
///
/// ```swift
/// let scope = ModelScope()
/// let first = Person.with(identifier: "10", in: scope)
/// assert(first === Person.with(identifier: "10", in: scope))
/// ```
///
/// Models are held weakly, except unsaved ones: new and changed models. These are retained until they are saved,
/// reverted or removed with ``remove(_:)``, so no unsaved change is lost. When the scope is deallocated, with its store
/// for instance, it releases them. Models that stay alive share the identity map, and ``ModelIsolation/scope`` returns
/// a scope for it.
///
/// A model whose identifier changes is found under the new one. If a store replaces an identifier, such as a temporary
/// one, the model is found under both. See ``IdentityConflict`` for two models with one identifier.
///
/// - Note: Not `Sendable`: a scope belongs to the isolation of its models.
public final class ModelScope {
  let map: IdentityMap

  /// The state of stores for this scope.
  @_spi(ModelKitInternals)
  public var storeState: AnyObject?

  /// The number of calls of ``ModelIsolation/unload()``. While it is the same, models that were read are still loaded.
  @_spi(ModelKitInternals)
  public var unloadCount: Int { map.unloadCount }

  /// The transformers for reading and writing models of this scope.
  public var transformers: ValueTransformerContext { map.transformers }

  /// Creates a scope without models.
  ///
  /// - Parameter transformers: the transformers for reading and writing models of this scope.
  public convenience init(transformers: ValueTransformerContext = .standard) {
    self.init(map: IdentityMap(transformers: transformers))
  }

  init(map: IdentityMap) {
    self.map = map
    map.attach(self)
  }

  deinit { map.scopeWasReleased() }

  /// The retained models: new or changed, and not saved yet. In no particular order.
  public var unsavedModels: [ModelObject] { Array(map.unsaved) }

  /// Removes a model from the scope. It is no longer retained, and another object may get its identifier. Its values
  /// and relations stay.
  ///
  /// Use this for a new model that is not wanted, or for a deleted one.
  public func remove(_ model: ModelObject) { map.remove(model) }

  /// The closure that is called when two live models have the same identifier. The default writes the description to
  /// standard error.
  ///
  /// It is called when an identifier is set or assigned by a store, and when a model joins the scope. Reading another
  /// model's identifier into a model throws an error instead.
  public var conflictHandler: (IdentityConflict) -> Void {
    get { map.conflictHandler }
    set { map.conflictHandler = newValue }
  }

  func canonicalModel(of modelClass: ModelObject.Type, identifier: String) -> ModelObject? {
    map.canonicalModel(of: modelClass, identifier: identifier)
  }

  func canonicalModel(like model: ModelObject, identifier: String) -> ModelObject? {
    map.canonicalModel(of: model.typeKey, identifier: identifier)
  }

  /// Adds a model to the scope, and registers it under its identifier unless another live model is.
  ///
  /// - Returns: the registered model.
  @discardableResult
  func register(_ model: ModelObject) -> ModelObject { map.add(model) }
}

extension ModelIsolation where Self: ModelObject {
  /// Returns the model with an identifier in a scope: the live one, or a new, incomplete one that has only the
  /// identifier.
  ///
  /// - Parameters:
  ///   - identifier: the identifier as text. If no identifier field can hold it, the new model has none.
  ///   - scope: the scope to search.
  /// - Complexity: O(1) on average.
  public static func with(identifier: String, in scope: ModelScope) -> Self {
    if let canonical = scope.map.canonicalModel(of: self, identifier: identifier) {
      // The classes are almost always equal, and a cast would cost as much as the lookup.
      if type(of: canonical) == Self.self { return unsafeDowncast(canonical, to: Self.self) }
      if let canonical = canonical as? Self { return canonical }
    }
    // A draft refers to the models outside of it.
    if let parent = scope.map.parent { return with(identifier: identifier, in: parent.scope) }
    let chosen = scope.map.referenceClass(Self.self, identifier)
    let unloadedReference = scope.transformers.makeStored(chosen)
    unloadedReference.becomeUnloadedReference(identifier: identifier)
    // One identifier may have several spellings, such as a UUID in lower case.
    if let spelled = unloadedReference.modelIdentifier,
      let canonical = scope.map.canonicalModel(of: self, identifier: spelled) as? Self
    {
      return canonical
    }
    if unloadedReference.modelIdentifier != nil { scope.map.add(unloadedReference) }
    return unloadedReference
  }

  /// Returns the model in a scope with this model's type and identifier: the live one, or else this model, which is
  /// then registered.
  ///
  /// - Returns: this model, unregistered, if it has no identifier.
  public func canonicalInstance(in scope: ModelScope) -> Self {
    guard let identifier = modelIdentifier else { return self }
    if let canonical = scope.canonicalModel(like: self, identifier: identifier) { return canonical as? Self ?? self }
    let isNew = identityMap !== scope.map && origin == .new
    scope.map.add(self)
    if isNew { scope.map.noteCreation(of: self) }
    return self
  }
}

extension ModelObject {
  /// Makes a new model an unloaded reference with an identifier.
  func becomeUnloadedReference(identifier: String) {
    guard setIdentifier(identifier) else { return }
    becomeUnloadedReference()
  }

  /// Makes a new model with its identifier an unloaded reference.
  func becomeUnloadedReference() {
    modelLoadState = .incomplete
    endNewState()
    identifierField?.markSaved(asOf: .next())
  }
}

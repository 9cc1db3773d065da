@_spi(ModelKitInternals) public import FieldKit

/// An identity map: within one scope there is one live object for one model type and identifier.
///
/// Every store front has a scope; reading JSON with `in: scope` makes what was read part of it, and a model joins the scope
/// of the model it is related to.
///
/// ```swift
/// let scope = ModelScope()
/// let first = Person.with(identifier: "10", in: scope)
/// assert(first === Person.with(identifier: "10", in: scope))
/// ```
///
/// Models are held weakly, except those that have something to be saved: new ones, and ones that were changed. They are
/// retained until they are saved, reverted or ``forget(_:)`` is called, so nothing unsaved vanishes. When the scope itself
/// is let go, with its store for instance, it lets go of them. Models that live on still know each other, and
/// ``ModelIsolation/scope`` gives a scope to them.
///
/// A model whose identifier changes is found under the new one. Where a store replaces an identifier, such as a temporary
/// one, the model is found under both. See ``IdentityConflict`` for two models of one identifier.
///
/// - Note: Not `Sendable`: a scope lives in the isolation of its models.
public final class ModelScope {
  let map: IdentityMap

  /// What the package of stores keeps for this scope.
  @_spi(ModelKitInternals)
  public var storeState: AnyObject?

  /// How models of this scope are read and written.
  public var transformers: ValueTransformerContext { map.transformers }

  /// Creates a scope without models.
  ///
  /// - Parameter transformers: how models of this scope are read and written.
  public convenience init(transformers: ValueTransformerContext = .standard) {
    self.init(map: IdentityMap(transformers: transformers))
  }

  init(map: IdentityMap) {
    self.map = map
    map.putInFront(self)
  }

  deinit { map.loseFront() }

  /// The models that are retained because they are new, or were changed, and were not saved yet. In no order.
  public var unsavedModels: [ModelObject] { Array(map.unsaved) }

  /// Takes a model out of the scope: it is retained no longer, and another object may get its identifier. Its values and
  /// relations stay.
  ///
  /// For a draft that is thrown away, or a model that was deleted.
  public func forget(_ model: ModelObject) { map.remove(model) }

  /// What is done when two live models come to have the same identifier. Writes the description to standard error unless
  /// it is replaced.
  ///
  /// Called when an identifier is set by hand or given by a store, and when a model joins the scope. Reading into a model an
  /// identifier that belongs to another one is refused with an error instead.
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

  /// Makes a model part of the scope, and the one object for its identifier unless another live one is.
  ///
  /// - Returns: the canonical object.
  @discardableResult
  func register(_ model: ModelObject) -> ModelObject { map.add(model) }
}

extension ModelIsolation where Self: ModelObject {
  /// The one object with an identifier in a scope: the live one, or a new, incomplete one that has nothing but the
  /// identifier.
  ///
  /// - Parameters:
  ///   - identifier: the identifier as text. Without an identifier field that can hold it, the new object has none.
  ///   - scope: the identity map to look in.
  /// - Complexity: O(1) on average.
  public static func with(identifier: String, in scope: ModelScope) -> Self {
    if let canonical = scope.map.canonicalModel(of: self, identifier: identifier) {
      // The same class nearly always: a cast would cost as much as the lookup.
      if type(of: canonical) == Self.self { return unsafeDowncast(canonical, to: Self.self) }
      if let canonical = canonical as? Self { return canonical }
    }
    let unloadedReference = scope.transformers.prepared(Self())
    unloadedReference.becomeUnloadedReference(identifier: identifier)
    // The same identifier may be spelled in several ways, such as a UUID in small letters.
    if let spelled = unloadedReference.modelIdentifier,
      let canonical = scope.map.canonicalModel(of: self, identifier: spelled) as? Self
    {
      return canonical
    }
    if unloadedReference.modelIdentifier != nil { scope.map.add(unloadedReference) }
    return unloadedReference
  }

  /// The one object in a scope that has this model's type and identifier: the live one, or else this model, which becomes
  /// it.
  ///
  /// - Returns: this model if it has no identifier, which is not registered then.
  public func canonicalInstance(in scope: ModelScope) -> Self {
    guard let identifier = modelIdentifier else { return self }
    if let canonical = scope.canonicalModel(like: self, identifier: identifier) { return canonical as? Self ?? self }
    scope.map.add(self)
    return self
  }
}

extension ModelObject {
  /// Makes a fresh model stand for one that was not read yet.
  func becomeUnloadedReference(identifier: String) {
    guard setIdentifier(identifier) else { return }
    becomeUnloadedReference()
  }

  /// Makes a fresh model that has got its identifier stand for one that was not read yet.
  func becomeUnloadedReference() {
    modelLoadState = .incomplete
    origin = .read
    identifierField?.markSaved(asOf: .next())
  }
}

@_spi(ModelKitInternals) public import FieldKit

// What queries ask of models whose type they don't know.

@_spi(ModelKitInternals)
extension ModelObject {
  /// The field that is declared with this key, or by a property of this name.
  ///
  /// - Complexity: O(*n*) in the number of fields.
  public func field(declaredAs key: String) -> AnyField? {
    if let field = field(forKey: key) { return field }
    // A field may have got another key since, as a schema gives it.
    guard isPrepared || hasDynamicFields else { return nil }
    var found: AnyField?
    forEachField { field, _ in if found == nil, nameOfProperty(holding: field) == key { found = field } }
    return found
  }

  /// The field of this model that corresponds to one of another model of its class, or of a class it is derived from.
  ///
  /// - Complexity: O(1).
  public func field(like other: AnyField) -> AnyField? { layout.field(at: Int(other.layoutIndex), of: self) }

  /// Whether the model was only referred to, so that it has nothing but its identifier.
  public var isShell: Bool { modelLoadState == .incomplete }

  /// Whether the model was made here and not saved yet, so that what it knows of its relations is all there is.
  public var isNew: Bool { origin == .new }

  /// Whether records of this hierarchy say themselves of which class they are.
  ///
  /// - Returns: `true` also where that can't be found out.
  public static var hierarchyChoosesClasses: Bool {
    OverrideProbe.choosesInstanceClass(ModelLayout.rootClass(of: self))
  }

  /// Whether records that don't say of which class they are stand for models of this class.
  public static var isTopOfHierarchy: Bool { ModelLayout.rootClass(of: self) == self }

  /// Whether a store has the model, and where its values come from.
  public struct StoreState {
    fileprivate let origin: ModelOrigin
    fileprivate let isStored: Bool
    fileprivate let isDeleted: Bool
  }

  /// What ``markStored()`` and ``markDeleted(in:)`` change, to be put back if a transaction fails.
  public var storeState: StoreState { StoreState(origin: origin, isStored: isStored, isDeleted: isDeleted) }

  /// Puts back what was so before a transaction.
  public func restore(_ state: StoreState) {
    origin = state.origin
    isStored = state.isStored
    isDeleted = state.isDeleted
    if let identityMap, isUnsaved { identityMap.keep(self) }
  }

  /// Says that a store has the model. Its fields stay as dirty as they are.
  public func markStored() {
    origin = .read
    isStored = true
    isDeleted = false
  }
}

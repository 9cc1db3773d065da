@_spi(ModelKitInternals) public import FieldKit

// The requirements of queries for models of any type.

@_spi(ModelKitInternals)
extension ModelObject {
  /// Returns the field with a declared key or a property name.
  ///
  /// - Complexity: O(*n*) in the number of fields.
  public func field(declaredAs key: String) -> AnyField? {
    if let field = field(forKey: key) { return field }
    // A schema may have given the field another key.
    guard isPrepared || hasDynamicFields else { return nil }
    var found: AnyField?
    forEachField { field, _ in if found == nil, nameOfProperty(holding: field) == key { found = field } }
    return found
  }

  /// Returns the field of this model that corresponds to one of another model of its class, or of a superclass.
  ///
  /// - Complexity: O(1).
  public func field(like other: AnyField) -> AnyField? { layout.field(at: Int(other.layoutIndex), of: self) }

  /// Whether the model is an unloaded reference, with only its identifier.
  public var isUnloadedReference: Bool { modelLoadState == .incomplete }

  /// Whether the model is new and not saved yet, so that its relations are complete as they are.
  public var isNew: Bool { origin == .new }

  /// Whether records of this hierarchy determine their class themselves.
  ///
  /// - Returns: `true` also if that is unknown.
  public static var hierarchyChoosesClasses: Bool {
    OverrideProbe.choosesInstanceClass(ModelLayout.rootClass(of: self))
  }

  /// Whether records without information about their class are models of this class.
  public static var isTopOfHierarchy: Bool { ModelLayout.rootClass(of: self) == self }

  /// The storage state of a model: whether a store has it, and the origin of its values.
  public struct StoreState {
    fileprivate let origin: ModelOrigin
    fileprivate let isStored: Bool
    fileprivate let isDeleted: Bool
    fileprivate let loadState: LoadState
    fileprivate let documentLoad: DocumentLoad?
    fileprivate let unknownBaselines: Set<ObjectIdentifier>
    fileprivate let formerLinks: [ObjectIdentifier: String]
    fileprivate let unsavedUnknownValues: [[String]: ChangeStamp]
  }

  /// The state that saves and ``markDeleted(in:)`` change, to be restored if a transaction fails.
  public var storeState: StoreState {
    StoreState(
      origin: origin, isStored: isStored, isDeleted: isDeleted, loadState: modelLoadState,
      documentLoad: details?.documentLoad, unknownBaselines: details?.unknownBaselines ?? [],
      formerLinks: details?.formerLinks ?? [:],
      unsavedUnknownValues: details?.remainder?.unsaved ?? [:])
  }

  /// Restores the state from before a transaction.
  public func restore(_ state: StoreState) {
    origin = state.origin
    isStored = state.isStored
    isDeleted = state.isDeleted
    modelLoadState = state.loadState
    if state.documentLoad != nil || details?.documentLoad != nil { detailsForWriting.documentLoad = state.documentLoad }
    if !state.unsavedUnknownValues.isEmpty {
      details?.remainder?.unsaved.merge(state.unsavedUnknownValues) { newer, _ in newer }
    }
    if !state.unknownBaselines.isEmpty { detailsForWriting.unknownBaselines = state.unknownBaselines }
    if !state.formerLinks.isEmpty { detailsForWriting.formerLinks = state.formerLinks }
    if let identityMap, isUnsaved { identityMap.keep(self) }
  }

  /// Marks the model as stored. Its fields stay as dirty as they are.
  public func markStored() {
    origin = .read
    isStored = true
    isDeleted = false
  }

  /// Marks an unloaded reference as one that has no record.
  public func markWithoutRecord() { isStored = false }
}

@_spi(ModelKitInternals)
extension ModelScope {
  /// Marks an unloaded reference as new, because it has no record. A transaction of the running task that fails takes
  /// that back.
  public func markNew(_ model: ModelObject) {
    let state = model.storeState
    map.innermostTransaction?.onFailure { if !model.isDeleted, !model.isStored { model.restore(state) } }
    model.markNew()
  }
}

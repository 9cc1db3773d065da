@_spi(ModelKitInternals) import StoreProtocol

/// What a front knows of a class of models, found out once.
final class MemoryFrontType {
  let modelClass: ModelObject.Type
  let name: String
  let state: MemoryTypeState
  /// Whether live models need not be read again as long as their records are the same.
  let remembersReading: Bool
  let choosesClasses: Bool
  let isTopOfHierarchy: Bool

  init(_ modelClass: ModelObject.Type, _ engine: MemoryEngine) {
    self.modelClass = modelClass
    name = modelClass.typeName
    state = engine.state(of: name)
    choosesClasses = modelClass.hierarchyChoosesClasses
    isTopOfHierarchy = modelClass.isTopOfHierarchy
    remembersReading = !choosesClasses && isTopOfHierarchy && modelClass.hasFlatRecords
  }

  /// What says where models were read from.
  var source: ObjectIdentifier { ObjectIdentifier(state) }
}

@_spi(ModelKitInternals) import StoreProtocol

/// What a front knows of a class of models, found out once.
final class FileFrontType {
  let modelClass: ModelObject.Type
  let name: String
  /// When records of the type were last written.
  let state: FileTypeState
  /// Whether a live model need not be read again as long as no record of the type was written.
  let remembersReading: Bool
  let choosesClasses: Bool
  let isTopOfHierarchy: Bool

  init(_ modelClass: ModelObject.Type, _ state: FileTypeState) {
    self.modelClass = modelClass
    self.state = state
    name = modelClass.typeName
    choosesClasses = modelClass.hierarchyChoosesClasses
    isTopOfHierarchy = modelClass.isTopOfHierarchy
    remembersReading = !choosesClasses && isTopOfHierarchy && modelClass.hasFlatRecords
  }

  /// Whether all records of the type are models of the class.
  var hasAllRecords: Bool { isTopOfHierarchy && !choosesClasses }

  /// What says where models were read from.
  var source: ObjectIdentifier { ObjectIdentifier(state) }
}

@_spi(ModelKitInternals) public import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// Cached facts about a class of models.
@_spi(ModelKitInternals)
public final class TypeContext {
  /// The class.
  public let modelClass: ModelObject.Type
  /// The type name of the models.
  public let name: String
  /// The write state of the type; nil if the engine has none.
  public let state: WriteState?
  // Not retained for each lookup: ``state`` retains it.
  private let unretainedState: Unmanaged<WriteState>?
  /// Whether a live model need not be read again while its record is unchanged.
  public let remembersReading: Bool
  /// Whether records name their class.
  public let choosesClasses: Bool
  /// Whether the class is the topmost of those that are stored together.
  public let isTopOfHierarchy: Bool

  /// The source with which read models are marked.
  public let source: ObjectIdentifier

  init(_ modelClass: ModelObject.Type, _ state: WriteState?) {
    self.modelClass = modelClass
    self.state = state
    unretainedState = state.map(Unmanaged.passUnretained)
    name = modelClass.typeName
    source = state.map { ObjectIdentifier($0) } ?? ObjectIdentifier(modelClass)
    choosesClasses = modelClass.hierarchyChoosesClasses
    isTopOfHierarchy = modelClass.isTopOfHierarchy
    remembersReading = state != nil && !choosesClasses && isTopOfHierarchy && modelClass.hasFlatRecords
  }

  /// Returns whether no record of the type was written after a revision; `false` if the engine has no write state.
  @inline(__always)
  public func isUnchanged(since revision: UInt64) -> Bool {
    unretainedState?._withUnsafeGuaranteedRef { $0.lastWrite <= revision } ?? false
  }

  /// Whether all records of the type are models of the class.
  public var hasAllRecords: Bool { isTopOfHierarchy && !choosesClasses }
}

@_spi(ModelKitInternals) import FieldKit

/// The treatment of the local changes of live models by a read of records.
@_spi(ModelKitInternals)
public enum LocalChanges: Sendable {
  /// Fields with local changes keep their values.
  case keep
  /// The records replace them.
  case overwrite
  /// The records replace those of one model, with the models that it embeds. All others keep their values.
  case overwriteOnly(ObjectIdentifier)

  /// Returns whether a field keeps its value.
  func keep(_ field: AnyField) -> Bool {
    guard field.isDirty else { return false }
    return switch self {
    case .keep: true
    case .overwrite: false
    case .overwriteOnly(let overwritten): !Self.isPart(field.owner as? ModelObject, of: overwritten)
    }
  }

  private static func isPart(_ owner: ModelObject?, of model: ObjectIdentifier) -> Bool {
    guard let owner else { return true }
    if ObjectIdentifier(owner) == model { return true }
    return owner.isPartOfContainer && owner.containingModels.contains { ObjectIdentifier($0) == model }
  }
}

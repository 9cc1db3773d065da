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
    field.isDirty && !overwrite(field)
  }

  /// Returns whether a record replaces a local change of a field.
  func overwrite(_ field: AnyField) -> Bool {
    switch self {
    case .keep: false
    case .overwrite: true
    case .overwriteOnly(let overwritten): Self.isPart(field.owner as? ModelObject, of: overwritten)
    }
  }

  private static func isPart(_ owner: ModelObject?, of model: ObjectIdentifier) -> Bool {
    guard let owner else { return true }
    if ObjectIdentifier(owner) == model { return true }
    return owner.isPartOfContainer && owner.containingModels.contains { ObjectIdentifier($0) == model }
  }
}

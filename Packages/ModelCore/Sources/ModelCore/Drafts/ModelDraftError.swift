@_spi(ModelKitInternals) import FieldKit

/// An error for a draft that can't be applied. No model was changed, and the draft keeps its edits.
public struct ModelDraftError: Error, CustomStringConvertible {
  /// The model of the draft: the name of its type, and its identifier.
  public let model: String
  /// The fields that were changed in the draft and elsewhere.
  public let conflicts: [EditConflict]
  /// The edited model that was deleted meanwhile; nil if none was.
  public let deletedModel: String?

  init(of model: ModelObject, conflicts: [EditConflict] = [], deleted: ModelObject? = nil) {
    self.model = Self.name(of: model)
    self.conflicts = conflicts
    deletedModel = deleted.map(Self.name)
  }

  private static func name(of model: ModelObject) -> String {
    let type = model.layout.typeName
    return model.modelIdentifier.map { "\(type) \($0.quotedForMessage)" } ?? type
  }

  /// The fields, and the remedy. Names no more than three of them.
  public var description: String {
    if let deletedModel {
      return """
        The draft of \(model) was not applied, because \(deletedModel) was deleted. Nothing was changed: drop the draft, or \
        create \(deletedModel) in the store again before you apply it.
        """
    }
    let fields = conflicts.prefix(3).map(\.description).joined(separator: "; ") + (conflicts.count > 3 ? "; …" : "")
    return """
      The draft of \(model) was not applied, because newer values came from elsewhere (\(fields)). Nothing was changed: \
      call apply(resolving:), or discard() the edits.
      """
  }
}

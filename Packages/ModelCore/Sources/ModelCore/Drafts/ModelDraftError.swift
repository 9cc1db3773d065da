@_spi(ModelKitInternals) import FieldKit

/// An error for a draft that can't be applied. No model was changed, and the draft keeps its edits.
public struct ModelDraftError: Error, CustomStringConvertible {
  /// The model of the draft: the name of its type, and its identifier.
  public let model: String
  /// The fields that were changed both in the draft and in the original.
  public let conflicts: [EditConflict]
  /// The edited model whose original was deleted; nil if none was.
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

  /// A message with the fields, three at most, and the remedy.
  public var description: String {
    if let deletedModel {
      return """
        The draft of \(model) was not applied, because \(deletedModel) was deleted. Nothing was changed: release the \
        draft, or create \(deletedModel) in the store again before you apply it.
        """
    }
    let fields = conflicts.prefix(3).map(\.description).joined(separator: "; ") + (conflicts.count > 3 ? "; …" : "")
    return """
      The draft of \(model) was not applied, because these fields also changed in the original (\(fields)). \
      Nothing was changed: call apply(resolving:), or discard() the edits.
      """
  }
}

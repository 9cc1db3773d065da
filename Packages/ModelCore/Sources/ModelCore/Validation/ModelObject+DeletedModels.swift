@_spi(ModelKitInternals) import FieldKit

extension ModelObject {
  /// The relations that a save would write and that reference a deleted model, each with that model.
  ///
  /// A link that is already saved is left to the store, which cuts it. An embedded model is not a link.
  var linksToDeletedModels: [(field: AnyField, model: ModelObject)] {
    guard identityMap?.hasDeletions == true else { return [] }
    var links: [(field: AnyField, model: ModelObject)] = []
    forEachField { field, _ in
      guard field.isRelation, field.isDirty, let relation = field as? any Relation, relation.isForeignKey,
        let deleted = relation.relatedModels.first(where: \.isDeleted)
      else { return }
      links.append((field, deleted))
    }
    return links
  }

  /// Adds an error for each relation that references a deleted model.
  func addErrorsOfDeletedModels() {
    for (field, model) in linksToDeletedModels {
      let name = model.modelIdentifier.map { "\(model.layout.typeName) \"\($0)\"" } ?? model.layout.typeName
      field.addViolation(RuleViolation(code: "deletedModel", message: "refers to \(name), which was deleted"))
    }
  }
}

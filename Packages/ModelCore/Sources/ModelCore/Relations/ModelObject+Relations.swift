@_spi(ModelKitInternals) import FieldKit

extension ModelObject {
  var relations: [any Relation] {
    var relations: [any Relation] = []
    forEachField { field, _ in
      if field.isRelation, let relation = field as? any Relation { relations.append(relation) }
    }
    return relations
  }
}

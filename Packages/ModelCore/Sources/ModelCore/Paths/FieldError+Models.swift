@_spi(ModelKitInternals) public import FieldKit

extension FieldError.Code {
  /// Several relations of a model declare the same inverse.
  public static let sharedInverse = FieldError.Code("sharedInverse")
  /// The related model is of another scope.
  public static let scopesDiffer = FieldError.Code("scopesDiffer")
}

extension FieldError {
  /// A path to no field, so that nothing could be set there.
  init(notSet path: FieldPath, _ reason: String, _ code: Code = .notFound) {
    self.init(code, "\(Self.subject(path)) was not set: \(reason).", field: path.description)
  }

  /// A path of an observer that matches no field yet.
  init(observing path: FieldPath, _ reason: String) {
    self.init(
      .notFound, "The observer of \(Self.subject(path)) receives nothing yet: \(reason).", field: path.description)
  }

  /// A field that can't be added to a model.
  init(_ code: Code, adding field: AnyField, to model: ModelObject.Type, _ reason: String) {
    let subject = field.key.map { "The field \($0.quotedForMessage)" } ?? "The field"
    self.init(code, "\(subject) can't be added to \(model): \(reason).", field: field.key)
  }

  /// Two fields of a class with the same key, so that each hides the value of the other.
  init(duplicateKey key: String, in model: ModelObject.Type) {
    self.init(
      .duplicateKey,
      """
      \(model) has more than one field with the key \(key.quotedForMessage): only one of them is written, and a value is \
      read into all. Give each a key of its own, as in Field(key: "…").
      """, field: key)
  }

  /// Two relations of a class with the same inverse, which both add their owner to it.
  init(sharedInverse inverse: String, of related: ModelObject.Type, in model: ModelObject.Type) {
    self.init(
      .sharedInverse,
      """
      \(model) has more than one relation with the inverse \(inverse.quotedForMessage) of \(related): a model may be in \
      it twice. Give each an inverse of its own, or none.
      """, field: inverse)
  }

  /// A link between models of two scopes, such as of two store instances.
  init(scopesDiffer relation: any Relation, of owner: ModelObject, _ related: ModelObject) {
    let name = (relation.name ?? relation.key ?? "").quotedForMessage
    self.init(
      .scopesDiffer,
      """
      \(name) of \(owner.layout.typeName) references a model of another scope (\(related.layout.typeName)), which has \
      other objects for the same records. Look it up in the store of the \(owner.layout.typeName) first.
      """, field: relation.key)
  }

  /// A property whose values are models, declared as a field of values.
  init(modelsIn property: String, isList: Bool, _ type: Any.Type, of model: ModelObject.Type) {
    let wrapper = isList ? "@ModelArrayField" : "@ModelField"
    self.init(
      .wrongType,
      """
      The property \(property.quotedForMessage) of \(model.displayName) was declared as a field with values of type \(type), but \
      models need a relation: stores reject \(model.displayName). Declare \(wrapper) var \(property): \(type)?
      """, field: property)
  }

  /// A relation that was requested by an unknown name.
  init(unknownRelation key: String) {
    self.init(
      .notFound,
      """
      There is no relation \(key.quotedForMessage): use the name of the property, or the key it was declared with.
      """, field: key)
  }

  /// A to-one relation that was used as a list, or a to-many relation that was used as a model.
  init(relation key: String, isToMany: Bool) {
    self.init(
      .wrongCardinality,
      isToMany
        ? "The relation \(key.quotedForMessage) was not changed: it refers to many models. Use add or remove, or set a list."
        : "The relation \(key.quotedForMessage) was not changed: it refers to one model. Use set(_:forKey:) for it.",
      field: key)
  }

  /// A model of another class than the relation refers to.
  init(relation key: String, takes expected: ModelObject.Type, not found: ModelObject.Type) {
    self.init(
      .wrongType,
      """
      The relation \(key.quotedForMessage) was not changed: it refers to \(expected.displayName), not to \
      \(found.displayName).
      """, field: key)
  }

  private static func subject(_ path: FieldPath) -> String {
    path.isEmpty && !path.isWildcard ? "The empty path" : path.description.pathForMessage
  }
}

@_spi(ModelKitInternals) import FieldKit

extension ModelArrayField {
  /// Creates the relation of a property: `@ModelArrayField(inverse: \.$author) var books: [Book]?`.
  ///
  /// - Parameters:
  ///   - name: the name for people.
  ///   - key: the key in dictionaries and JSON. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - foreignKey: whether related models are written as their identifiers instead of in full.
  ///   - deleteRule: the effect on the related models when the model that has this field is deleted.
  ///   - inverse: the inverse, a field of the related model. Declare it on one side only.
  ///   - configure: completes the declaration, such as with a rule.
  public convenience init(
    name: String? = nil, key: String? = nil, priority: Int? = nil, foreignKey: Bool = false,
    deleteRule: DeleteRule = .nullify, inverse: ((Related) -> any RelationField)? = nil,
    configure: ((ModelArrayField) -> Void)? = nil
  ) {
    self.init(
      ModelField(
        name: name, key: key, priority: priority, foreignKey: foreignKey, deleteRule: deleteRule, inverse: inverse))
    configure?(self)
  }
}

/// Creates a to-many relation from a description of a member: `let employees = ModelField<Person>()*`.
public postfix func * <Related: Model>(member: ModelField<Related>) -> ModelArrayField<Related> {
  ModelArrayField(member)
}

/// Creates a to-many relation from a description of a member: `let employees = *ModelField<Person>()`.
public prefix func * <Related: Model>(member: ModelField<Related>) -> ModelArrayField<Related> {
  ModelArrayField(member)
}

@_spi(ModelKitInternals) import FieldKit

// Relations by name, for data whose shape is known only at run time. Inverses are updated as with the fields
// themselves.
extension ModelIsolation where Self: ModelObject {
  /// Returns the relation with a key.
  ///
  /// - Parameter key: the key the field was declared with, or the name of its property.
  /// - Throws: `FieldError` with the code `notFound` if there is none.
  public func relation(forKey key: String) throws -> any RelationField { try namedRelation(key) }

  /// Adds a model to a to-many relation, unless it is a member already.
  ///
  /// - Throws: `FieldError` if there is no such to-many relation, or it refers to models of another class; the relation
  ///   stays as it is.
  public func add(_ model: ModelObject, forKey key: String) throws { try add([model], forKey: key) }

  /// Adds models to a to-many relation, atomically. Existing members keep their positions.
  ///
  /// - Throws: `FieldError` if there is no such to-many relation, or it refers to models of another class; the relation
  ///   stays as it is.
  public func add(_ models: [ModelObject], forKey key: String) throws {
    let relation = try relation(key, isToMany: true)
    try relation.check(models, key)
    for model in models { _ = relation.link(model) }
  }

  /// Removes a model from a to-many relation, if it is a member.
  ///
  /// - Throws: `FieldError` if there is no such to-many relation, or it refers to models of another class; the relation
  ///   stays as it is.
  public func remove(_ model: ModelObject, forKey key: String) throws {
    let relation = try relation(key, isToMany: true)
    try relation.check([model], key)
    relation.unlink([model])
  }

  /// Sets a to-one relation to a model, or to nil.
  ///
  /// - Throws: `FieldError` if there is no such to-one relation, or it refers to models of another class; the relation
  ///   stays as it is.
  public func set(_ model: ModelObject?, forKey key: String) throws {
    let relation = try relation(key, isToMany: false)
    try relation.check(model.map { [$0] } ?? [], key)
    try relation.set(anyValue: model)
  }

  /// Sets a to-many relation.
  ///
  /// - Throws: `FieldError` if there is no such to-many relation, or it refers to models of another class; the relation
  ///   stays as it is.
  public func set(_ models: [ModelObject], forKey key: String) throws {
    let relation = try relation(key, isToMany: true)
    try relation.check(models, key)
    try relation.set(anyValue: models)
  }

  private func relation(_ key: String, isToMany: Bool) throws -> any Relation {
    let relation = try namedRelation(key)
    guard relation.isToMany == isToMany else {
      throw FieldError(relation: key, isToMany: relation.isToMany)
    }
    return relation
  }

  private func namedRelation(_ key: String) throws -> any Relation {
    let relations = allFields.compactMap { $0 as? any Relation }
    let named =
      relations.first { $0.key == key } ?? relations.first { nameOfProperty(holding: $0) == key }
    guard let named else { throw FieldError(unknownRelation: key) }
    return named
  }
}

extension Relation {
  fileprivate func check(_ models: [ModelObject], _ key: String) throws {
    guard let stranger = models.first(where: { !accepts(type(of: $0)) }) else { return }
    throw FieldError(relation: key, takes: relatedClass, not: type(of: stranger))
  }
}

public import FieldKit
public import ModelCore

extension CoreDataSchema {
  /// The type of the models of an entity, for all that takes a type of model as a value.
  ///
  /// ```swift
  /// let authors = schema.modelType("Author")
  /// let nina = try authors.from(dictionaryValue: ["firstName": "Nina"])
  /// ```
  ///
  /// - Precondition: there is such an entity. Use ``modelType(named:)`` where names come from data.
  public func modelType(_ name: String) -> ModelType<DynamicModel> {
    do {
      return try modelType(named: name)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// The type of the models of an entity.
  ///
  /// - Throws: ``SchemaMappingError`` if there is no such entity.
  public func modelType(named name: String) throws -> ModelType<DynamicModel> {
    ModelType(try DynamicEntities.entities(of: self).entity(name).modelClass)
  }

  /// The same schema with value transformers, which give the transformable attributes of a ``DynamicModel`` their types.
  ///
  /// It is equal to this one, and its models are of types of their own.
  ///
  /// - Parameter transformers: the transformers by the name that the schema calls them. They replace those it has.
  public func with(transformers: [String: any ValueTransforming]) -> CoreDataSchema {
    CoreDataSchema(
      storage: SchemaStorage(
        storage.content, notes: storage.notes, versionName: storage.versionName,
        transformers: storage.transformers.merging(transformers) { $1 }))
  }
}

public import FieldKit
public import ModelCore

extension CoreDataSchema {
  /// Returns the model type of an entity, for functions that take a model type as a value.
  ///
  /// ```swift
  /// let authors = schema.modelType("Author")
  /// let nina = try authors.from(dictionaryValue: ["firstName": "Nina"])
  /// ```
  ///
  /// - Precondition: The schema has the entity. Use ``modelType(named:)`` for names from data.
  public func modelType(_ name: String) -> ModelType<DynamicModel> {
    do {
      return try modelType(named: name)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Returns the model type of an entity.
  ///
  /// - Throws: ``SchemaMappingError`` if there is no such entity.
  public func modelType(named name: String) throws -> ModelType<DynamicModel> {
    ModelType(try DynamicEntities.entities(of: self).entity(name).modelClass)
  }

  /// Returns the schema with value transformers, which give the transformable attributes of a ``DynamicModel`` their
  /// types.
  ///
  /// The result equals this schema, but a ``DynamicModel`` of one has another type than a ``DynamicModel`` of the
  /// other.
  ///
  /// - Parameter transformers: the transformers by their names in the schema. They replace the current ones.
  public func with(transformers: [String: any ValueTransforming]) -> CoreDataSchema {
    CoreDataSchema(
      storage: SchemaStorage(
        storage.content, notes: storage.notes, versionName: storage.versionName,
        transformers: storage.transformers.merging(transformers) { $1 }))
  }
}

public import FieldKit
@_spi(ModelKitInternals) public import ModelCore

extension ModelScope {
  /// Creates a scope whose models are read, written and validated as a schema says.
  ///
  /// In such a scope numbers and booleans may also come as text, as in many of the documents that such schemas describe;
  /// nothing is cut or rounded. They are written as numbers and booleans.
  ///
  /// - Parameters:
  ///   - schema: describes the classes that are ``SchemaMapped``, and the entities of ``DynamicModel``.
  ///   - transformers: the value transformers by the name that the schema calls them. Reading or writing a transformable
  ///     attribute whose transformer is missing here is an error that names it.
  ///   - registry: where the objects are looked up. The default one holds them weakly.
  ///   - context: the case of keys, the null policy, and transformers by type.
  public convenience init(
    schema: CoreDataSchema, transformers: [String: any ValueTransforming] = [:],
    registry: any ModelRegistry = MemoryRegistry(), context: ValueTransformerContext = .standard
  ) {
    var context = context
    let schema = transformers.isEmpty ? schema : schema.with(transformers: transformers)
    context.preparation = SchemaMapping(schema, transformers: schema.storage.transformers)
    self.init(registry: registry, transformers: context)
  }

  /// The schema that describes the models of this scope, if there is one.
  public var schema: CoreDataSchema? { (transformers.preparation as? SchemaMapping)?.schema }
}

public import FieldKit
@_spi(ModelKitInternals) public import ModelCore

extension ModelScope {
  /// Creates a scope whose models are read, written and validated by a schema.
  ///
  /// In such a scope numbers and booleans may also be text in JSON, as in many documents of this kind. A text that
  /// would lose digits is rejected. Values are written as numbers and booleans.
  ///
  /// - Parameters:
  ///   - schema: the schema of ``SchemaMapped`` classes and ``DynamicModel``.
  ///   - transformers: the value transformers by their names in the schema. Reading or writing a transformable
  ///     attribute without its transformer is an error that names the transformer.
  ///   - context: the case of keys, the null policy, and transformers by type.
  public convenience init(
    schema: CoreDataSchema, transformers: [String: any ValueTransforming] = [:],
    context: ValueTransformerContext = .standard
  ) {
    var context = context
    let schema = transformers.isEmpty ? schema : schema.with(transformers: transformers)
    context.preparation = SchemaMapping(schema, transformers: schema.storage.transformers)
    self.init(transformers: context)
  }
}

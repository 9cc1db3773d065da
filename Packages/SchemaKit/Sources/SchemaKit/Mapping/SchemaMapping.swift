@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// The mapping of Swift classes by a schema, computed for each class on its first instance.
final class SchemaMapping: OwnerPreparing {
  let schema: CoreDataSchema
  let transformers: [String: any ValueTransforming]
  private let classes = ClassTable<ClassMapping>(bucketCount: 64)

  init(_ schema: CoreDataSchema, transformers: [String: any ValueTransforming]) {
    self.schema = schema
    self.transformers = transformers
  }

  /// Completes the declarations of a model's fields, and sets the defaults of fields that can't be nil.
  func prepare(_ owner: AnyObject) {
    // The scopes with this mapping prepare only models, and a checked cast would double the cost.
    assert(owner is ModelObject)
    let model = unsafeDowncast(owner, to: ModelObject.self)
    let mapping = mapping(of: model)
    model.apply(mapping.declarations)
    for initial in mapping.requiredInitials { give(initial, to: model) }
  }

  /// Sets all defaults that the schema has for a model.
  func makeInitial(_ model: ModelObject) {
    for initial in mapping(of: model).initials { give(initial, to: model) }
  }

  private func give(_ initial: ClassMapping.Initial, to model: ModelObject) {
    (model.declaredField(at: initial.index) as? any MappedField)?.takeInitial(initial.json)
  }

  /// Returns the differences between a class and its entity.
  func issues(of model: ModelObject) -> [SchemaIssue] {
    var builder = ClassMappingBuilder(self, model)
    _ = builder.build()
    return builder.issues
  }

  private func mapping(of model: ModelObject) -> ClassMapping {
    let key = ObjectIdentifier(type(of: model))
    if let known = classes[key] { return known }
    var builder = ClassMappingBuilder(self, model)
    return classes.add(builder.build(), for: key)
  }
}

/// The mapping of one class.
final class ClassMapping: Sendable {
  /// A default value.
  struct Initial: Sendable {
    let index: Int
    let json: JSONValue
    /// Whether the value can't be nil, so that models that are read get it as well.
    let isRequired: Bool
  }

  static let nothing = ClassMapping(declarations: [], initials: [])

  let declarations: [CompletedDeclaration]
  let initials: [Initial]
  /// The defaults that also apply to models read from a document.
  let requiredInitials: [Initial]

  init(declarations: [CompletedDeclaration], initials: [Initial]) {
    self.declarations = declarations
    self.initials = initials
    requiredInitials = initials.filter(\.isRequired)
  }
}

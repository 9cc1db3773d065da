@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// How a schema maps Swift classes: for each class found once, on its first instance.
final class SchemaMapping: OwnerPreparing {
  let schema: CoreDataSchema
  let transformers: [String: any ValueTransforming]
  private let classes = ClassTable<ClassMapping>(bucketCount: 64)

  init(_ schema: CoreDataSchema, transformers: [String: any ValueTransforming]) {
    self.schema = schema
    self.transformers = transformers
  }

  /// Completes the declarations of a model's fields, and gives those their defaults that can't be nil.
  func prepare(_ owner: AnyObject) {
    // Only models are prepared by the scopes that this is given to; to ask would cost as much as the rest.
    assert(owner is ModelObject)
    let model = unsafeDowncast(owner, to: ModelObject.self)
    let mapping = mapping(of: model)
    model.apply(mapping.declarations)
    for initial in mapping.requiredInitials { give(initial, to: model) }
  }

  /// Gives a model all defaults that the schema has for it.
  func makeInitial(_ model: ModelObject) {
    for initial in mapping(of: model).initials { give(initial, to: model) }
  }

  private func give(_ initial: ClassMapping.Initial, to model: ModelObject) {
    (model.declaredField(at: initial.index) as? any MappedField)?.takeInitial(initial.json)
  }

  /// What of the class does not fit its entity.
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

/// What a schema says of one class.
final class ClassMapping: Sendable {
  /// A first value.
  struct Initial: Sendable {
    let index: Int
    let json: JSONValue
    /// Whether the value can't be nil, so that also a model that is read has it.
    let isRequired: Bool
  }

  static let nothing = ClassMapping(declarations: [], initials: [])

  let declarations: [PlacedDeclaration]
  let initials: [Initial]
  /// The first values that a model that is read has, too.
  let requiredInitials: [Initial]

  init(declarations: [PlacedDeclaration], initials: [Initial]) {
    self.declarations = declarations
    self.initials = initials
    requiredInitials = initials.filter(\.isRequired)
  }
}

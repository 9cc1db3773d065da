@_spi(ModelKitInternals) public import FieldKit
@_spi(ModelKitInternals) public import ModelCore

/// A model of an entity without a Swift class. Its fields are the properties of the entity.
///
/// ```swift
/// let author = try DynamicModel(
///   entity: "Author", in: schema, dictionaryValue: json)
/// print(author["firstName"] ?? "?")
/// author["lastName"] = "Lund"
/// if let name = author.field("lastName", of: String.self) {
///   name --> { print($0 ?? "") }
/// }
/// try author.add(["title": "Salt"], forKey: "books")
/// print(author.validate(), author.dictionaryValue)
/// ```
///
/// Fields have the types, keys, rules and defaults of the schema, and relations have their inverses. They are found by
/// property name or by key. Each entity has one class, so a scope holds one object per identifier, as with Swift
/// classes.
///
/// A transformable attribute has the type of its transformer: see ``CoreDataSchema/with(transformers:)``. Without a
/// transformer its value is the `JSONValue` of the document.
public class DynamicModel: Model, EntityDefined {
  private let blueprint: DynamicEntity?
  private var fieldsByName: [String: AnyField] = [:]

  /// Creates a model without values.
  ///
  /// - Note: Called on `DynamicModel` itself it creates one without fields: use `init(entity:in:)`.
  public required init() {
    blueprint = EntityClasses.entity(of: Self.self)
    super.init()
    addFields(hasAllDefaults: Defaults.areWanted)
  }

  private func addFields(hasAllDefaults: Bool) {
    guard let blueprint else { return }
    for maker in blueprint.fieldMakers {
      let field = maker.make(hasAllDefaults: hasAllDefaults)
      // Two properties may have one key; then only the first one is read and written.
      guard (try? add(field: field, named: maker.name)) != nil else { continue }
      fieldsByName[maker.name] = field
    }
  }

  /// The option of `init`, which has no parameters, as a task-local value.
  enum Defaults {
    @TaskLocal static var areWanted = false
  }

  /// The entity; nil for a model without an entity.
  public var entity: CoreDataSchema.Entity? { blueprint?.entity }

  /// The schema of the entity; nil for a model without an entity.
  public var schema: CoreDataSchema? { blueprint?.schema }

  /// The field of the attribute that identifies the model; see ``CoreDataSchema/identifierName(of:)``.
  public override var identifierField: AnyField? {
    blueprint?.identifierName.flatMap { fieldsByName[$0] }
  }

  /// The type name of the models in stores: the name of the entity.
  ///
  /// Entities of one hierarchy share the name of the topmost entity, as classes do. Each record names its entity under
  /// the key `entity`, or under the `entityKeyPath` of the topmost entity's user info.
  public override class var typeName: String { EntityClasses.entity(of: self)?.typeName ?? super.typeName }

  /// Returns a new class for an entity, derived from this one.
  class func derivedClass<Tag>(_ tag: Tag.Type) -> DynamicModel.Type { EntityClass<Tag>.self }

  // MARK: Fields by name

  /// Returns the field of an attribute or relationship.
  ///
  /// - Parameter name: the name in the schema.
  /// - Complexity: O(1).
  public func field(named name: String) -> AnyField? { fieldsByName[name] }

  /// Returns the typed field of an attribute.
  ///
  /// - Parameters:
  ///   - name: the name in the schema.
  ///   - type: the type of the values, such as `Int` for whole numbers. A relation has no such type: pass no
  ///     `[DynamicModel]`.
  /// - Returns: nil if the field does not exist or its values are of another type.
  public func field<Value>(_ name: String, of type: Value.Type) -> Field<Value>? { fieldsByName[name] as? Field<Value> }

  /// The value of an attribute or relationship by its name in the schema, or the value at a key path.
  ///
  /// A part of a composite attribute is named like `address.street`; the attribute itself has all parts as JSON.
  ///
  /// Setting a value of the wrong type changes nothing and is reported to `ModelIssue.handler`.
  public subscript(name: String) -> Any? {
    get {
      if let field = fieldsByName[name] { return field.anyValue }
      if let keyPath = blueprint?.keyPath(ofComposite: name) { return try? dictionaryValue.value(atNestedKey: keyPath) }
      return self[FieldPath(name)]
    }
    set { self[path(name)] = newValue }
  }

  private func path(_ name: String) -> FieldPath {
    fieldsByName[name]?.key.map { FieldPath($0) } ?? FieldPath(name)
  }
}

/// A type with initializers that take the name of an entity. Only ``DynamicModel`` conforms.
///
/// An initializer of a class returns an object of that class. An initializer of a protocol may return one of a derived
/// class, here that of the entity.
public protocol EntityDefined: SendableMetatype {}

extension EntityDefined {
  /// Creates a model of an entity, with the defaults of the schema.
  ///
  /// - Throws: ``SchemaMappingError`` if the entity does not exist or is abstract.
  public init(entity name: String, in schema: CoreDataSchema) throws {
    let entity = try DynamicEntities.entities(of: schema).entity(name)
    if entity.entity.isAbstract { throw SchemaMappingError.abstractEntity(name) }
    let model = DynamicModel.Defaults.$areWanted.withValue(true) { entity.modelClass.init() }
    ModelScope(schema: schema).add(model)
    guard let made = model as? Self else {
      throw SchemaMappingError.unknownEntity(name, known: [])
    }
    self = made
  }

  /// Creates a model of an entity from a dictionary, or updates the live model with the same identifier.
  ///
  /// - Parameters:
  ///   - name: the name of the entity.
  ///   - schema: the schema that has the entity.
  ///   - dictionary: keys and values; related models are nested.
  ///   - scope: the identity map of the models; by default a new one.
  /// - Throws: ``SchemaMappingError`` if the entity does not exist or is abstract; `ModelDecodingError` for the first
  ///   value of the wrong type. Nothing is changed then.
  public init(
    entity name: String, in schema: CoreDataSchema, dictionaryValue dictionary: AttributeDictionary,
    scope: ModelScope? = nil
  ) throws {
    let entity = try DynamicEntities.entities(of: schema).entity(name).concrete(for: dictionary)
    let modelClass: any Model.Type = entity.modelClass
    let model = try modelClass.from(dictionaryValue: dictionary, in: scope ?? ModelScope(schema: schema))
    guard let made = model as? Self else {
      throw SchemaMappingError.unknownEntity(name, known: [])
    }
    self = made
  }
}

@_spi(ModelKitInternals)
extension DynamicModel: NamedModelClass {
  /// The name of the entity.
  public static var ownName: String? { EntityClasses.entity(of: self)?.entity.name }
}

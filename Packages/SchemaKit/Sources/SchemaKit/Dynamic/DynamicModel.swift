@_spi(ModelKitInternals) public import FieldKit
@_spi(ModelKitInternals) public import ModelCore

/// A model of an entity that has no Swift class: its fields are those of the entity.
///
/// ```swift
/// let author = try DynamicModel(entity: "Author", in: schema, dictionaryValue: json)
/// print(author["firstName"] ?? "nobody")
/// author["lastName"] = "Lund"
/// author.field("lastName", of: String.self)? --> { print($0 ?? "") }
/// try author.add(["title": "Salt"], forKey: "books")
/// print(author.validate(), author.dictionaryValue)
/// ```
///
/// The fields have the types of the attributes, keys, rules and defaults as the schema says, and relations with both sides.
/// They are found by the name of the property, and by their key. The models of one entity are of one class, so that within a
/// scope there is one object for one identifier, as for Swift classes.
///
/// Transformable attributes have the type of their transformer: see ``CoreDataSchema/with(transformers:)``. Without it the
/// value stays the `JSONValue` it is.
public class DynamicModel: Model, MadeOfEntity {
  private let blueprint: DynamicEntity?
  private var fieldsByName: [String: FieldBase] = [:]

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
      // Two properties may have one key; the second one is not read and written then.
      guard (try? add(field: field, named: maker.name)) != nil else { continue }
      fieldsByName[maker.name] = field
    }
  }

  /// What is asked for while a model is made: `init` has no parameters.
  enum Defaults {
    @TaskLocal static var areWanted = false
  }

  /// The entity; nil for a model that was not made of one.
  public var entity: CoreDataSchema.Entity? { blueprint?.entity }

  /// The schema that has the entity; nil for a model that was not made of one.
  public var schema: CoreDataSchema? { blueprint?.schema }

  /// The field of the attribute that identifies the model; see ``CoreDataSchema/identifierName(of:)``.
  public override var identifierField: (any FieldProtocol)? {
    blueprint?.identifierName.flatMap { fieldsByName[$0] }
  }

  /// What stores call the models of the entity: its name.
  ///
  /// Entities that are derived from one another share the name of the topmost one, as classes do, and each record names its
  /// entity under the key `entity`, or the one that the user info of the topmost entity has under `entityKeyPath`.
  public override class var typeName: String { EntityClasses.entity(of: self)?.typeName ?? super.typeName }

  /// The class of an entity: one that is derived from this.
  class func derivedClass<Tag>(_ tag: Tag.Type) -> DynamicModel.Type { EntityClass<Tag>.self }

  // MARK: Fields by name

  /// The field of an attribute or relationship.
  ///
  /// - Parameter name: the name in the schema.
  /// - Complexity: O(1).
  public func field(named name: String) -> (any FieldProtocol)? { fieldsByName[name] }

  /// The field of an attribute whose type is known.
  ///
  /// - Parameters:
  ///   - name: the name in the schema.
  ///   - type: the type of the values: `Int` for whole numbers, `[DynamicModel]` is not the type of a relation.
  /// - Returns: nil if there is no such field, or its values are of another type.
  public func field<Value>(_ name: String, of type: Value.Type) -> Field<Value>? { fieldsByName[name] as? Field<Value> }

  /// The value of an attribute or relationship by its name in the schema, or the value that a path of keys leads to.
  ///
  /// The parts of a composite attribute are named as `address.street`; the attribute itself gives all of them, as JSON.
  ///
  /// Setting a value that does not fit changes nothing and is reported to `ModelIssue.handler`.
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

/// What is made by the name of an entity. Only ``DynamicModel`` is.
///
/// An initialiser of a class gives an object of that class, and one of a protocol may give one of a derived class: that of
/// the entity.
public protocol MadeOfEntity: SendableMetatype {}

extension MadeOfEntity {
  /// Makes a model of an entity, with the defaults that the schema says.
  ///
  /// - Throws: ``SchemaMappingError`` if there is no such entity, or it is abstract.
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

  /// Makes a model of an entity from a dictionary, or updates the live one that has its identifier.
  ///
  /// - Parameters:
  ///   - name: the name of the entity.
  ///   - schema: the schema that has the entity.
  ///   - dictionary: keys and values; related models are nested.
  ///   - scope: the identity map that the models become part of; by default one of their own.
  /// - Throws: ``SchemaMappingError`` if there is no such entity, or it is abstract; `ModelDecodingError` for the first value
  ///   that does not fit. Nothing is changed then.
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

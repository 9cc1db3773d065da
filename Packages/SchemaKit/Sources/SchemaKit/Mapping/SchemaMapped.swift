@_spi(ModelKitInternals) public import ModelCore

/// A model class that a schema maps: the schema determines how it is read, written and validated.
///
/// ```swift
/// final class Book: Model, SchemaMapped {
///   static let entityName = "Book"
///   let bookId = Field<Int>()            // "book_id" in JSON, from the model file
///   let title = Field<String>()
///   let retailPrice = Field<Double>()    // "pricing.retail_price"
///   let author = ModelField<Author>()    // the inverse of author.books
///   override var identifierField: AnyField? { bookId }
/// }
/// let scope = ModelScope(
///   schema: schema, transformers: ["Date": .date(format: "yyyy-MM-dd")])
/// let book = try Book.from(json: data, in: scope)
/// ```
///
/// A field is matched by the name of its property, which is the name of the attribute or relationship. The schema gives
/// keys, transformers, rules, inverses and delete rules. The declaration of a field takes precedence. A schema applies
/// to models that are created or read in a scope with it, or join one. Other models have only the declarations of their
/// class.
public protocol SchemaMapped: ModelIsolation {
  /// The entity of the schema that describes the class.
  ///
  /// In a hierarchy write `class var entityName: String { "Shape" }` and override it in derived classes. If the user
  /// info of the topmost entity has `entityKeyPath`, the attribute with that key starts with the name of the model's
  /// entity. Override `instanceClass(for:)` to select the class when reading, as generated classes do.
  static var entityName: String { get }
}

extension SchemaMapped where Self: ModelObject {
  /// Creates a model in a scope, with the defaults of its entity.
  ///
  /// A default of the identifier is ignored: all models would have the same identifier.
  public init(in scope: ModelScope) {
    self.init()
    (scope.transformers.preparation as? SchemaMapping)?.makeInitial(self)
    scope.add(self)
  }

  /// Returns the properties of the entity that the class does not have, or has with another type.
  ///
  /// Properties that only the class has are not an issue: they are mapped as declared.
  ///
  /// - Parameters:
  ///   - schema: the schema that has the entity.
  ///   - transformers: the value transformers by name.
  public static func mappingIssues(
    in schema: CoreDataSchema, transformers: [String: any ValueTransforming] = [:]
  ) -> [SchemaIssue] {
    SchemaMapping(schema, transformers: transformers).issues(of: Self())
  }
}

@_spi(ModelKitInternals) public import ModelCore

/// A model class of which a schema says how it is read, written and validated.
///
/// ```swift
/// final class Book: Model, SchemaMapped {
///   static let entityName = "Book"
///   let bookId = Field<Int>()                     // "book_id" in JSON, because the model file says so
///   let title = Field<String>()
///   let retailPrice = Field<Double>()             // "pricing.retail_price"
///   let author = ModelField<Author>()             // the inverse of author.books
///   override var identifierField: (any FieldProtocol)? { bookId }
/// }
/// let scope = ModelScope(schema: schema, transformers: ["Date": .date(format: "yyyy-MM-dd")])
/// let book = try Book.from(json: data, in: scope)
/// ```
///
/// Fields are found by the name of their property, which is that of the attribute or relationship. The schema gives keys,
/// transformers, rules, inverses and delete rules; what a field says itself at its declaration counts more. A model gets
/// them when it is made or read in a scope with a schema, or joins one; a model outside is as its class declares it.
public protocol SchemaMapped: ModelIsolation {
  /// The entity of the schema that describes the class.
  ///
  /// In a hierarchy write `class var entityName: String { "Shape" }`, and override it in derived classes. Where the user info
  /// of the topmost entity has `entityKeyPath`, the attribute with that key begins with the name of the model's entity;
  /// override `instanceClass(for:)` to read by it, as generated classes do.
  static var entityName: String { get }
}

extension SchemaMapped where Self: ModelObject {
  /// Makes a model in a scope, with the defaults of its entity.
  ///
  /// A default of the identifier is left out: it would be the same for all models.
  public init(in scope: ModelScope) {
    self.init()
    (scope.transformers.preparation as? SchemaMapping)?.makeInitial(self)
    scope.add(self)
  }

  /// What the class does not have although its entity has it, or has as something else.
  ///
  /// Properties that the entity does not have are no issue: they are mapped as the class declares them.
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

public import StoreProtocol

/// A model that declares the path of its collection. A route that is registered with a ``RESTRouter`` takes precedence.
///
/// ```swift
/// final class Person: Model, Routable {
///   static var collectionPath: String { "staff/people" }
///   let name = Field<String>()
/// }
/// ```
public protocol Routable: SendableMetatype {
  /// The path below the base address, as plain text: it is percent-encoded where needed. Slashes separate components,
  /// and `{company.id}` stands for a value of the model: see ``RESTRouter/route(_:to:)``.
  static var collectionPath: String { get }

  /// The path of this model if it is outside of its collection: plain text like ``collectionPath``. Nil, the default,
  /// stands for the collection and the identifier.
  var resourcePath: String? { get }
}

extension Routable {
  /// The default is nil: the model is in its collection.
  public var resourcePath: String? { nil }
}

/// A model whose path is below that of its owner: `/companies/10/employees/45`.
///
/// ```swift
/// final class Employee: Model, HasOwnerField {
///   let id = Field<Int>()
///   let company = ModelField<Company>(foreignKey: true, inverse: \.employees)
///   override var identifierField: AnyField? { id }
///   var ownerField: AnyField { company }
/// }
/// ```
///
/// The last segment of the collection is the key of the inverse field, here `employees`. A model without owner, or
/// whose owner field has no inverse, is routed as if it did not conform.
///
/// A list takes the owner from a condition such as `where: { $0.company.id == 10 }`, and requests
/// `/companies/10/employees`, without owners of the company. Its records have to repeat the owner: otherwise they are
/// models without owner.
public protocol HasOwnerField: SendableMetatype {
  /// The relation to the owner of this model.
  var ownerField: AnyField { get }
}

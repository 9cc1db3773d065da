public import StoreProtocol

/// A model that says itself where its collection is. A route that is registered with a ``RESTRouter`` goes before it.
///
/// ```swift
/// final class Person: Model, Routable {
///   static var collectionPath: String { "staff/people" }
///   let name = Field<String>()
/// }
/// ```
public protocol Routable: SendableMetatype {
  /// The path below the base address, as plain text: it is percent-encoded where needed. Slashes separate components, and
  /// `{company.id}` stands for a value of the model: see ``RESTRouter/route(_:to:)``.
  static var collectionPath: String { get }

  /// The path of this model, if it is elsewhere than in its collection: plain text like ``collectionPath``. Nil, the default,
  /// for the collection and the identifier.
  var resourcePath: String? { get }
}

extension Routable {
  /// In its collection.
  public var resourcePath: String? { nil }
}

/// A model that is reached through the model it belongs to: `/companies/10/employees/45`.
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
/// The last segment of the collection is the key of the inverse field, here `employees`. A model without owner, or whose
/// owner field has no inverse, is routed as if it did not conform.
public protocol HasOwnerField: SendableMetatype {
  /// The relation that leads to the model to which this one belongs.
  var ownerField: AnyField { get }
}

@_spi(ModelKitInternals) public import FieldKit

/// A field that references other models: a ``ModelField`` or a ``ModelArrayField``.
///
/// ```swift
/// for case let relation as any RelationField in person.fields {
///   print(relation.relatedModels.count)
/// }
/// ```
public protocol RelationField: AnyField {
  /// The related models that are currently in memory.
  var relatedModels: [ModelObject] { get }
  /// The class of the related models.
  var relatedClass: ModelObject.Type { get }
  /// Whether the relation can reference more than one model.
  var isToMany: Bool { get }
  /// Whether related models are written as their identifiers instead of in full.
  var isForeignKey: Bool { get }
  /// The effect on the related models when the model that has this field is deleted.
  var deleteRule: DeleteRule { get }
}

extension RelationField {
  /// Returns the inverse of this relation on a related model; nil if it has none.
  ///
  /// ```swift
  /// book.author.inverseField(on: jane) === jane.books
  /// ```
  ///
  /// - Parameter related: a model of the related class, whether or not the relation references it.
  /// - Complexity: O(1), except for the first call for two classes.
  public func inverseField(on related: ModelObject) -> (any RelationField)? {
    (owner as? ModelObject)?.inverseField(of: self, on: related)
  }

  /// The inverses of this relation on the models that it references.
  public var inverseFields: [any RelationField] { relatedModels.compactMap { inverseField(on: $0) } }
}

@_spi(ModelKitInternals)
extension RelationField {
  /// The related models in the store, without local changes.
  public var storedModels: [ModelObject] {
    isDirty ? (self as? any Relation)?.baselineModels ?? relatedModels : relatedModels
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// Returns the inverse of a relation of this model on a related model; nil if it has none.
  ///
  /// - Parameters:
  ///   - relation: a relation of this model.
  ///   - related: a model of the related class, whether or not the relation references it.
  /// - Complexity: O(1), except for the first call for two classes.
  public func inverseField(of relation: any RelationField, on related: ModelObject) -> (any RelationField)? {
    guard let relation = relation as? any Relation, relation.owner === self, relation.accepts(type(of: related)) else {
      return nil
    }
    return relation.inverse(on: related)
  }
}

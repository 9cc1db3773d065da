@_spi(ModelKitInternals) public import FieldKit

/// The inverse and the delete rule of a relation, declared outside its class.
@_spi(ModelKitInternals)
public final class RelationDeclaration: Sendable {
  private let deleteRule: DeleteRule
  private let inverse: (@Sendable (ModelObject) -> (any RelationField)?)?

  /// Creates a declaration.
  ///
  /// - Parameters:
  ///   - deleteRule: used if the rule of the relation is `nullify`, the default.
  ///   - inverse: returns the inverse on a related model; used if the relation declares none.
  public init(deleteRule: DeleteRule, inverse: (@Sendable (ModelObject) -> (any RelationField)?)?) {
    self.deleteRule = deleteRule
    self.inverse = inverse
  }

  /// Completes the declaration of a relation.
  public func apply(to field: AnyField) {
    guard field.isRelation, let relation = field as? any DeclarableRelation else { return }
    relation.complete(deleteRule: deleteRule, inverse: inverse)
  }
}

/// A relation whose declaration can be completed.
private protocol DeclarableRelation: AnyField {
  func complete(deleteRule: DeleteRule, inverse: (@Sendable (ModelObject) -> (any RelationField)?)?)
}

extension ModelField: DeclarableRelation {
  fileprivate func complete(deleteRule: DeleteRule, inverse: (@Sendable (ModelObject) -> (any RelationField)?)?) {
    if self.deleteRule == .nullify { self.deleteRule = deleteRule }
    if declaredInverse == nil, let inverse { declaredInverse = { inverse($0) } }
  }
}

extension ModelArrayField: DeclarableRelation {
  fileprivate func complete(deleteRule: DeleteRule, inverse: (@Sendable (ModelObject) -> (any RelationField)?)?) {
    if self.deleteRule == .nullify { self.deleteRule = deleteRule }
    if declaredInverse == nil, let inverse { declaredInverse = { inverse($0) } }
  }
}

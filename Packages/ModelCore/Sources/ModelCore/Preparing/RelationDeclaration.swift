@_spi(ModelKitInternals) public import FieldKit

/// What is said of a relation elsewhere than at its declaration: its other side, and what happens when its model is deleted.
@_spi(ModelKitInternals)
public final class RelationDeclaration: Sendable {
  private let deleteRule: DeleteRule
  private let inverse: (@Sendable (ModelObject) -> (any RelationField)?)?

  /// Creates a declaration.
  ///
  /// - Parameters:
  ///   - deleteRule: counts where the relation says `nullify`, as it does if it says nothing.
  ///   - inverse: finds the other side on a related model; counts where the relation names none.
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

@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import StoreProtocol

/// A check of conditions and orders. They must read no hidden field, and no field of a related class that is not
/// readable by all users.
struct QueryGuard {
  private let service: RESTService
  private let request: RESTServiceRequest
  private let followsRelations: Bool

  /// - Parameter followsRelations: whether conditions may be about related records. A change of one of them does not
  ///   change the record that the condition matches. So a list of changes can't have such a condition.
  init(_ service: RESTService, _ request: RESTServiceRequest, followsRelations: Bool = true) {
    self.service = service
    self.request = request
    self.followsRelations = followsRelations
  }

  /// - Throws: ``ServiceProblem`` with the status 400 for a path that does not exist, or that may not be read.
  func check(_ expression: QueryExpression, of type: ModelObject.Type?) throws {
    switch expression {
    case .constant: return
    case .and(let terms), .or(let terms): for term in terms { try check(term, of: type) }
    case .not(let term): try check(term, of: type)
    case .any(let path, let condition):
      try check(condition, of: check(path, of: type, entersLast: true))
    case .comparison(let comparison):
      if [.matches, .containsMatch].contains(comparison.operator), !service.options.acceptsRegularExpressions {
        // Matching backtracks, and can't be cancelled.
        throw ServiceProblem(
          400, "Conditions with regular expressions are not evaluated here. Use contains or hasPrefix.")
      }
      try check(comparison.term.path, of: type)
      if case .term(let term) = comparison.operand { try check(term.path, of: type) }
    }
  }

  /// Checks a path.
  ///
  /// - Parameters:
  ///   - type: the class at its beginning; nil inside of a value.
  ///   - entersLast: whether a condition reads the models at its end.
  /// - Returns: the class of the models at its end; nil if there are none.
  @discardableResult
  func check(
    _ path: QueryPath, of type: ModelObject.Type?, entersLast: Bool = false
  ) throws -> ModelObject.Type? {
    var current = type
    for (index, key) in path.keys.enumerated() {
      // Inside of a value.
      guard let type = current else { return nil }
      let model = type.init()
      guard let field = model.field(declaredAs: key), let declared = field.key,
        !service.unreadable.keys(of: type).contains(declared), !isStoredByHiddenInverse(field, of: model)
      else { throw ServiceProblem(400, "\(type.typeName) has no field \"\(key.prefix(80))\" that a query could read.") }
      guard let relation = field as? any RelationField else {
        current = nil
        continue
      }
      current = relation.relatedClass
      let isLast = index == path.keys.count - 1
      // The record itself has embedded models, and the identifiers of the relations that it stores.
      let isStored = model.storableFields.contains { $0 === field }
      // Whether a to-one relation is nil may be known to the related records only.
      let isInRecord = isStored || (!relation.isToMany && model.fieldsForDictionaryValue().contains { $0 === field })
      let isEmbedded = isEmbedded(field, relation, in: model)
      if !followsRelations, relation.isToMany || !isLast || !isInRecord, !isEmbedded {
        throw ServiceProblem(400, "Changes can't be listed by a condition on related records.")
      }
      if isLast, !entersLast, isInRecord { continue }
      try refuseUnreadable(relation.relatedClass, isEmbedded: isEmbedded)
    }
    return current
  }

  /// Returns whether a record has the related records in it, instead of references in one of both.
  private func isEmbedded(_ field: AnyField, _ relation: any RelationField, in model: ModelObject) -> Bool {
    guard !relation.isForeignKey, model.fieldsForDictionaryValue().contains(where: { $0 === field }) else {
      return false
    }
    let related = relation.relatedClass.init()
    return withExtendedLifetime(related) { model.inverseField(of: relation, on: related)?.isForeignKey != true }
  }

  /// Returns whether only a hidden field of the related class stores the links of a relation.
  private func isStoredByHiddenInverse(_ field: AnyField, of model: ModelObject) -> Bool {
    guard let relation = field as? any RelationField, !model.storableFields.contains(where: { $0 === field }) else {
      return false
    }
    let related = relation.relatedClass.init()
    // A field gets its key from its model.
    let inverse = withExtendedLifetime(related) { model.inverseField(of: relation, on: related)?.key }
    return inverse.map { service.unreadable.keys(of: relation.relatedClass).contains($0) } ?? false
  }

  private func refuseUnreadable(_ type: ModelObject.Type, isEmbedded: Bool) throws {
    let served = service.served(type)
    if served == nil, isEmbedded { return }
    guard served?.allowsAll(.read) == true else {
      throw ServiceProblem(
        400, "A query can't read records of \(type.typeName) here: some users can't read all of them.")
    }
  }
}

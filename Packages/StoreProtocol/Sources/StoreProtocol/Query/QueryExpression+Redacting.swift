@_spi(ModelKitInternals) internal import ModelCore

extension ModelQuery {
  /// The condition for a description, without the values with which sensitive fields are compared.
  var shownFilter: QueryExpression? {
    filter.map { filter in
      // The text explains why it is not printed.
      if filter.excess != nil { return filter }
      let prototype = M.prototype()
      return withExtendedLifetime(prototype) { filter.withoutSecrets(of: prototype) }
    }
  }
}

@_spi(ModelKitInternals)
extension ModelQuery {
  /// Whether the condition or the order is about sensitive fields.
  public var readsSecrets: Bool {
    let prototype = M.prototype()
    return withExtendedLifetime(prototype) {
      filter?.readsSecrets(of: prototype) == true
        || sort.contains { QueryExpression.place($0.order.term.path, in: prototype).isSensitive }
    }
  }
}

extension QueryExpression {
  /// Returns the condition without the values with which sensitive fields of a model are compared.
  fileprivate func withoutSecrets(of model: ModelObject?, isSecret: Bool = false) -> QueryExpression {
    switch self {
    case .constant: return self
    case .comparison(var comparison):
      if isSecret || Self.place(comparison.term.path, in: model).isSensitive,
        case .value(let value) = comparison.operand,
        !value.isNull
      {
        comparison.operand = .unwritable("redacted")
      }
      return .comparison(comparison)
    case .and(let terms): return .and(terms.map { $0.withoutSecrets(of: model, isSecret: isSecret) })
    case .or(let terms): return .or(terms.map { $0.withoutSecrets(of: model, isSecret: isSecret) })
    case .not(let term): return .not(term.withoutSecrets(of: model, isSecret: isSecret))
    case .any(let path, let condition):
      let place = Self.place(path, in: model)
      return .any(path, condition.withoutSecrets(of: place.related, isSecret: place.isSensitive))
    }
  }

  /// Returns whether the condition is about sensitive fields of a model.
  func readsSecrets(of model: ModelObject?) -> Bool {
    switch self {
    case .constant: return false
    case .comparison(let comparison):
      if Self.place(comparison.term.path, in: model).isSensitive { return true }
      guard case .term(let other) = comparison.operand else { return false }
      return Self.place(other.path, in: model).isSensitive
    case .and(let terms), .or(let terms): return terms.contains { $0.readsSecrets(of: model) }
    case .not(let term): return term.readsSecrets(of: model)
    case .any(let path, let condition):
      let place = Self.place(path, in: model)
      return place.isSensitive || condition.readsSecrets(of: place.related)
    }
  }

  /// Returns whether the field at a path is sensitive, and a prototype of its related models.
  static func place(_ path: QueryPath, in model: ModelObject?) -> (isSensitive: Bool, related: ModelObject?) {
    var model = model
    var isSensitive = false
    for key in path.keys {
      guard let owner = model, let field = owner.field(declaredAs: key) else { return (isSensitive, nil) }
      isSensitive = isSensitive || field.isSensitive
      model = (field as? any RelationField)?.relatedClass.init()
    }
    return (isSensitive, model)
  }
}

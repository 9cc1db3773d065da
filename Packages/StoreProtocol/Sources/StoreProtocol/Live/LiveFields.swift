@_spi(ModelKitInternals) import ModelCore

/// The keys, by type, that determine the matches of a query and their order.
struct LiveFields {
  /// The topmost keys of the models themselves, as records spell them.
  private(set) var own: Set<String> = []
  /// The keys that determine the order.
  private(set) var ofOrder: Set<String> = []
  /// The topmost keys of related models, by type name.
  private(set) var related: [String: Set<String>] = [:]
  /// Whether the result depends on a list of related models, which an answer to a save may lack.
  private(set) var readsLists = false
  private let context: ValueTransformerContext

  /// - Parameter columns: columns whose values determine the result, too.
  init<M: Model>(_ query: ModelQuery<M>, columns: [QueryPath] = [], in context: ValueTransformerContext) {
    self.context = context
    // A condition that is too large is invalid, and is not traversed.
    if let filter = query.filter, filter.excess == nil { add(filter, M.self, isOwn: true, isOrder: false) }
    for sort in query.sort { add(sort.order.term.path, M.self, isOwn: true, isOrder: true) }
    for path in columns { add(path, M.self, isOwn: true, isOrder: false) }
  }

  private mutating func add(
    _ expression: QueryExpression, _ modelClass: ModelObject.Type, isOwn: Bool, isOrder: Bool
  ) {
    switch expression {
    case .constant: break
    case .not(let term): add(term, modelClass, isOwn: isOwn, isOrder: isOrder)
    case .and(let terms), .or(let terms):
      for term in terms { add(term, modelClass, isOwn: isOwn, isOrder: isOrder) }
    case .comparison(let comparison):
      add(comparison.term.path, modelClass, isOwn: isOwn, isOrder: isOrder)
      if case .term(let other) = comparison.operand { add(other.path, modelClass, isOwn: isOwn, isOrder: isOrder) }
    case .any(let path, let condition):
      if let related = add(path, modelClass, isOwn: isOwn, isOrder: isOrder) {
        add(condition, related, isOwn: false, isOrder: isOrder)
      }
    }
  }

  /// Follows a path.
  ///
  /// - Returns: the class that its last field references, if it is a relation.
  @discardableResult
  private mutating func add(
    _ path: QueryPath, _ modelClass: ModelObject.Type, isOwn: Bool, isOrder: Bool
  ) -> ModelObject.Type? {
    var (modelClass, isOwn) = (modelClass, isOwn)
    var last: ModelObject.Type?
    for key in path.keys {
      let prototype = context.prepared(modelClass.init())
      let field = prototype.field(declaredAs: key)
      let spelled = context.key(field?.key ?? key)
      // A dotted key is a key itself, or the path of a nested value.
      let keys: Set<String> = [spelled, String(spelled.prefix { $0 != "." })]
      if isOwn {
        own.formUnion(keys)
        if isOrder { ofOrder.formUnion(keys) }
      } else if field !== prototype.identifierField {
        // The referencing record contains the identifier.
        related[modelClass.typeName, default: []].formUnion(keys)
      }
      let relation = field as? any RelationField
      if relation?.isToMany == true { readsLists = true }
      last = relation?.relatedClass
      guard let next = last else { break }
      (modelClass, isOwn) = (next, false)
    }
    return last
  }
}

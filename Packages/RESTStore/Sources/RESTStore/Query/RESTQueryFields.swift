@_spi(ModelKitInternals) import StoreProtocol

/// A resolver of the fields that a query names.
struct RESTQueryFields {
  private let modelClass: ModelObject.Type
  private let context: ValueTransformerContext

  init(_ modelClass: ModelObject.Type, in context: ValueTransformerContext) {
    self.modelClass = modelClass
    self.context = context
  }

  /// Returns the field at a path, and the keys of the path as records spell them.
  func resolve(_ path: QueryPath) throws -> (keys: [String], field: AnyField) {
    var keys: [String] = []
    var owner: ModelObject.Type? = modelClass
    var found: AnyField?
    // A field knows its key from its model.
    var models: [ModelObject] = []
    defer { withExtendedLifetime(models) {} }
    for (index, key) in path.keys.enumerated() {
      if owner == nil, let value = found, !(value is any RelationField) {
        // A member inside the value has the key under which the value's type writes it.
        switch value.member(key, in: context) {
        case .typed(let member): found = member
        case .untyped: found = Field<JSONValue>()
        case .missing(let reason):
          throw ModelStoreError(
            .invalid, "A query of \(modelClass) can't read \("\(path)".quotedForMessage): \(reason).")
        }
        keys.append(key)
        continue
      }
      if let owner { models.append(context.prepared(owner.init())) }
      guard owner != nil, let field = models.last?.field(declaredAs: key) else {
        throw ModelStoreError(.invalid, "\(modelClass) has no field \"\(path)\" that a query could read.")
      }
      keys += context.key(field.key ?? key).split(separator: ".").map(String.init)
      found = field
      owner = nil
      guard let relation = field as? any RelationField else { continue }
      owner = relation.relatedClass
      // A record has a foreign key in place of the model.
      guard relation.isForeignKey, !relation.isToMany, index == path.keys.count - 2 else { continue }
      let related = relation.relatedClass.init()
      models.append(related)
      if let identifier = related.identifierField, identifier.key == path.keys[index + 1] {
        return (keys, identifier)
      }
    }
    guard let found else { throw ModelStoreError(.invalid, "A query of \(modelClass) names no field.") }
    return (keys, found)
  }

  /// Returns a value as a field writes it; nil if that is not known.
  func spelled(_ value: JSONValue, in field: AnyField) -> JSONValue? {
    if value.isNull { return .some(.null) }
    func open<Value>(_ type: Value.Type) -> JSONValue? {
      guard let field = field as? Field<Value>,
        let value = try? ValueTransformerContext.standard.value(of: value, as: Value.self)
      else { return nil }
      return try? field.json(ofValue: value, in: context)
    }
    return _openExistential(field.valueType, do: open)
  }
}

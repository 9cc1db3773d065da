@_spi(ModelKitInternals) import FieldKit

// The models of the identifiers in a document.
extension ModelReader {
  /// Registers this model under its identifier in the document.
  func register(_ model: ModelObject, in object: AttributeDictionary) {
    let identifier =
      model.modelIdentifier ?? setIdentifier(of: context.prepared(type(of: model).init()), from: object)
    if let identifier { made[key(of: model, identifier)] = Made(model: model, waitsForValues: true) }
  }

  /// Registers this model under the identifier that a store's response assigned.
  func register(_ model: ModelObject, answeredBy answer: AttributeDictionary) {
    let identifier = setIdentifier(of: context.prepared(type(of: model).init()), from: answer) ?? model.modelIdentifier
    if let identifier { made[key(of: model, identifier)] = Made(model: model, waitsForValues: true) }
  }

  /// Makes the models related to this one those for their identifiers in a response, including models that are in no
  /// scope yet.
  func registerRelatedModels(of model: ModelObject) {
    var seen: Set<ModelObject> = [model]
    var pending = [model]
    while let next = pending.popLast() {
      for related in next.relations.flatMap(\.relatedModels)
      where related.identityMap == nil && seen.insert(related).inserted {
        pending.append(related)
        guard let identifier = related.modelIdentifier,
          scope?.canonicalModel(like: related, identifier: identifier) == nil
        else { continue }
        let key = key(of: related, identifier)
        if made[key] == nil { made[key] = Made(model: related, waitsForValues: false) }
      }
    }
  }

  /// Throws if an object has the identifier of another live model, because there would be two with one identifier.
  func refuseIdentifierOfAnother(than model: ModelObject, in object: AttributeDictionary) throws {
    guard let map = model.identityMap, let (field, index) = Self.identifierPlace(of: model),
      let json = value(of: field, index, of: model, in: object),
      (json.stringValue ?? json.description) != model.registeredIdentifier?.text,
      let identifier = setIdentifier(of: context.prepared(type(of: model).init()), from: object),
      let other = map.canonicalModel(of: model.typeKey, identifier: identifier), other !== model
    else { return }
    throw ModelDecodingError(
      path: path(of: field, index, of: model), property: model.propertyName(of: field),
      expected: "an identifier that no other \(type(of: model).displayName) has",
      found: "\(json), which another live model in this scope has")
  }

  func canonical(_ modelClass: ModelObject.Type, _ object: AttributeDictionary) -> ModelObject {
    let id = ObjectIdentifier(modelClass)
    let spare = spares.isEmpty ? nil : spares.removeValue(forKey: id)
    func make() -> ModelObject { isFromStore ? context.makeStored(modelClass) : context.prepared(modelClass.init()) }
    let fresh = spare ?? make()
    guard let identifier = setIdentifier(of: fresh, from: object) else {
      // A reused instance has the identifier of another model.
      return spare == nil ? fresh : make()
    }
    let key = key(of: fresh, identifier)
    var known = made[key]?.model
    if let unloadedReference = unloadedReferences.isEmpty ? nil : unloadedReferences.removeValue(forKey: key),
      unloadedReference.model === known, modelClass != type(of: unloadedReference.model),
      ModelObject.isSubclass(modelClass, of: type(of: unloadedReference.model))
    {
      unloadedReference.model = fresh
      hasReplacedReference = true
      known = nil
    } else {
      known = known ?? scope?.canonicalModel(like: fresh, identifier: identifier)
    }
    made[key] = Made(model: known ?? fresh, waitsForValues: true)
    if known != nil { spares[id] = fresh }
    return known ?? fresh
  }

  func reference<M: Model>(to json: JSONValue, of type: M.Type) throws -> (M, UnloadedReference?) {
    let fresh = context.makeStored(type)
    if let identifier = setIdentifier(of: fresh, from: json) {
      let key = key(of: fresh, identifier)
      if let unloadedReference = unloadedReferences[key], let model = unloadedReference.model as? M {
        return (model, unloadedReference)
      }
      guard let known = made[key]?.model ?? scope?.canonicalModel(like: fresh, identifier: identifier) else {
        var model = fresh
        if let chosen = scope?.map.referenceClass(type, identifier), chosen != type {
          model = context.makeStored(chosen)
          _ = setIdentifier(of: model, from: json)
        }
        model.becomeUnloadedReference()
        made[key] = Made(model: model, waitsForValues: true)
        let unloadedReference = UnloadedReference(model)
        unloadedReferences[key] = unloadedReference
        return (model, unloadedReference)
      }
      if let known = known as? M { return (known, nil) }
    }
    throw ValueTransformError(expected: "the identifier of \(type.displayName)", found: json)
  }

  func key(of model: ModelObject, _ identifier: String) -> IdentityKey {
    IdentityKey(rootClass: model.layout.rootClass, identifier: identifier)
  }

  /// Reads a reference by identifier into a new model that is not in a scope.
  func setIdentifier(of fresh: ModelObject, from reference: JSONValue) -> String? {
    if let field = fresh.identifierField, let apply = try? field.staged(reference, by: self) { apply() }
    // Some sources write numbers as text in references, or the reverse.
    if fresh.modelIdentifier == nil {
      _ = fresh.setIdentifier(reference.stringValue ?? reference.intValue.map(String.init) ?? reference.description)
    }
    return fresh.modelIdentifier
  }

  /// Returns the identifiers that a foreign key in a record references, as text, in a list if it is one. Returns nil if
  /// it can't be read.
  func identifiers(in json: JSONValue, of type: ModelObject.Type) -> JSONValue? {
    switch json {
    case .null: return json
    case .array(let elements):
      let members = elements.compactMap { identifiers(in: $0, of: type) }
      return members.count == elements.count ? .array(members) : nil
    case .object(let object):
      let chosen = type.instanceClass(for: object) ?? type
      return setIdentifier(of: context.prepared(chosen.init()), from: object).map { .string($0) }
    case .int, .string, .number, .double:
      return setIdentifier(of: context.prepared(type.init()), from: json).map { .string($0) }
    default: return nil
    }
  }

  /// Reads the identifier into a new model that is not in a scope. Only the field can interpret the value, and decide
  /// whether two spellings are one identifier.
  func setIdentifier(of fresh: ModelObject, from object: AttributeDictionary) -> String? {
    // A class without an identifier field of its own may override the field with one that has a value.
    guard let (field, index) = Self.identifierPlace(of: fresh) else { return fresh.modelIdentifier }
    guard let json = value(of: field, index, of: fresh, in: object), let apply = try? field.staged(json, by: self)
    else { return nil }
    apply()
    return fresh.modelIdentifier
  }

  /// Returns the identifier field and its index in the layout, or -1 if it was added at run time.
  static func identifierPlace(of model: ModelObject) -> (field: AnyField, index: Int)? {
    if let index = model.layout.identifierIndex { return model.layout.field(at: index, of: model).map { ($0, index) } }
    guard model.hasDynamicFields, let field = model.identifierField, field.declaredKey != nil else {
      return nil
    }
    return (field, -1)
  }

  func hasIdentifier(_ model: ModelObject, in object: AttributeDictionary) -> Bool {
    guard let (field, index) = Self.identifierPlace(of: model) else { return false }
    return value(of: field, index, of: model, in: object).map { !$0.isNull } ?? false
  }
}

import Foundation
@_spi(ModelKitInternals) public import StoreProtocol

// The requests of the store's calls.
extension RESTModelStore {
  /// Returns the request of a call about a model.
  func call(
    _ kind: RESTOperation.Kind, _ model: ModelObject, collection: String, path: String, identifier: String?
  ) throws -> RESTCall {
    let operation = RESTOperation(
      kind, typeName: model.storedTypeName, collectionPath: collection, path: path, identifier: identifier,
      identifierKey: identifierKey(of: model))
    var call = try RESTCall(operation, self)
    if kind == .create || kind == .update {
      call.setIdempotencyKey(kind == .create ? IdempotencyKey.current : nil, by: handle.options)
    }
    return call
  }

  /// Returns the names of a class and of its identifier in stores and records. They are found once, because that takes
  /// a model.
  func names<M: Model>(of type: M.Type) -> TypeNames {
    let id = ObjectIdentifier(type)
    if let known = typeNames[id] { return known }
    // A class reads its name from its metadata each time; its models share a cached one.
    let prototype = M.prototype()
    let names = TypeNames(typeName: prototype.storedTypeName, identifierKey: identifierKey(of: prototype))
    typeNames[id] = names
    return names
  }

  private func identifierKey(of model: ModelObject) -> String? {
    model.identifierField?.key.map { scope.transformers.key($0) }
  }

  /// Returns the request of a lookup. A live model provides its path: below its owner, or from its template.
  func lookupCall<M: Model>(_ type: M.Type, identifier: String, live: M?) throws -> RESTCall {
    let router = handle.router
    var path: String?
    var collection: String?
    if let live, live.identifier == identifier {
      path = try? router.pathOfInstance(live, depth: router.maxPathDepth)
      collection = try? router.pathOfCollection(containing: live, depth: router.maxPathDepth)
    }
    let names = names(of: type)
    let common = path == nil || collection == nil ? try router.pathOfCollection(type) : ""
    let operation = RESTOperation(
      .lookup, typeName: names.typeName, collectionPath: collection ?? common,
      path: try path ?? router.path(of: type, identifier: identifier, in: common), identifier: identifier,
      identifierKey: names.identifierKey)
    return try RESTCall(operation, self)
  }

  /// Returns the request of a list, and reduces the query to the part that the server has to evaluate.
  ///
  /// Where the collection is below an owner, or a template has placeholders, a condition provides the values. It is
  /// removed from the query.
  ///
  /// - Parameter given: the path of the list, which replaces that of the collection.
  func listCall<M: Model>(_ query: inout RESTQuery, _ type: M.Type, at given: String? = nil) throws -> RESTCall {
    let router = handle.router
    var values: [String: String] = [:]
    var path = given
    let places = Set(router.places(in: type))
    if given != nil {
      // The condition is sent as it is.
    } else if !places.isEmpty {
      query.keepTerms { term in
        guard let (place, value) = Self.equality(term), places.contains(place), values[place] == nil else {
          return true
        }
        values[place] = value
        return false
      }
    } else if router.maxPathDepth > 0, let ownership = router.ownership(of: type),
      let ownerKey = ownership.owner.identifierField?.key
    {
      query.keepTerms { term in
        guard path == nil, let (place, value) = Self.equality(term), place == "\(ownership.key).\(ownerKey)" else {
          return true
        }
        path = try? pathOfMembers(ownership.owner, value, ownership.inverseKey)
        return path == nil
      }
    }
    let collection = try path ?? router.pathOfCollection(type) { values[$0] }
    let operation = RESTOperation(
      .list, typeName: M.typeName, collectionPath: collection, identifierKey: identifierKey(of: M.prototype()))
    query.identifierKey = operation.identifierKey
    return try RESTCall(operation, self)
  }

  /// Returns the path of the models that belong to an owner with an identifier.
  private func pathOfMembers(_ owner: ModelObject, _ identifier: String, _ key: String) throws -> String {
    guard owner.assignIdentifier(identifier), let component = PathComponent(key) else {
      throw ModelStoreError.noIdentifier(owner.storedTypeName)
    }
    return try handle.router.pathOfInstance(owner, depth: handle.router.maxPathDepth - 1) + "/" + component.encoded
  }

  /// Returns the key path and the value of a condition that tests a field for equality; nil for any other condition.
  private static func equality(_ term: QueryExpression) -> (path: String, value: String)? {
    guard case .comparison(let comparison) = term, comparison.operator == .equal, comparison.term.form == .value,
      case .value(let value) = comparison.operand, !value.isNull
    else { return nil }
    return (comparison.term.path.keys.joined(separator: "."), ParameterEncoder.text(value))
  }

  // MARK: Versions

  /// Returns the entity tag of an answer, if tags are used.
  func tag(in response: HTTPResponseData) -> String? {
    handle.options.usesEntityTags ? response.headers["ETag"] : nil
  }

  /// Returns the tag with which a lookup may be answered by "not modified". It is nil if the model is not fully loaded,
  /// or a PUT needs the values of all fields. The same holds if local changes or values of a document are to be
  /// overwritten.
  func unchangedTag<M: Model>(of model: M) -> String? {
    guard let tag = tags.tag(of: model), case .loaded = model.loadState,
      !(isRefreshing && model.hasUnsavedValues), !model.needsReadingToSave(),
      handle.dialect.method(for: .update) != .put || !hasUnreadFields(model)
    else {
      return nil
    }
    return tag
  }

  /// Fetches the record of the server after it rejected an update or a delete; returns nil if that fails. The model
  /// stays unchanged.
  func serverVersion<M: Model>(of type: M.Type, _ operation: RESTOperation) async -> RESTConflict? {
    var operation = operation
    operation.kind = .lookup
    guard let call = try? RESTCall(operation, self), let response = try? await handle.response(to: call),
      response.isSuccessful, let answer = try? handle.dialect.constructResponse(response, to: operation),
      answer.error == nil, let record = try? record(in: answer, of: type)
    else { return nil }
    return RESTConflict(record: record, entityTag: tag(in: response))
  }
}

extension RESTModelStore: IdempotentModelStore {
  /// Whether requests have a key: see ``RESTOptions/idempotencyKeyHeader``.
  public var supportsIdempotencyKeys: Bool { handle.options.idempotencyKeyHeader != nil }
}

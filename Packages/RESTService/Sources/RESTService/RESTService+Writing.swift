@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import RESTStore
import StoreProtocol

// Creations, updates and deletions. Each is one transaction, with the isolation of the store.
extension RESTService {
  /// - Parameter identifier: the identifier in the path of a PUT; nil for a POST.
  func create<M: Model, S: TransactionalModelStore>(
    _ type: M.Type, _ served: ServedType, _ identifier: String?, _ call: ServiceCall, _ store: S
  ) async throws -> WrittenAnswer {
    guard served.mayAllow(.create) else { throw refusal(call) }
    try refuseItems(call)
    var record = try call.record(options, dialect, served.form)
    let model = try await store.transaction { store in
      let prototype = type.prototype()
      if let identifier {
        guard prototype.assignIdentifier(identifier), let field = prototype.identifierField else {
          throw ServiceProblem(400, "\"\(identifier.prefix(80))\" can't be an identifier of \(M.typeName).")
        }
        try checkIdentifier(in: record, prototype)
        for value in try prototype.storedValues(of: [field], in: context) { value.write(to: &record) }
      } else if !options.acceptsIdentifiers, let key = key(of: prototype.identifierField, prototype),
        record[key]?.isNull == false
      {
        throw ServiceProblem(422, "The service assigns identifiers itself.").about(key)
      }
      // As an edit, its links stay when the records are read that they reference.
      let model = try type.from(dictionaryValue: record, in: store.scope, as: .edit)
      try checkSize(of: model)
      try checkKeys(of: record, model)
      try checkNested(record, of: model)
      guard served.allows(.create, model, call.request) else { throw refusal(call) }
      try await checkReferences(of: model, call, in: store)
      try await store.create(model)
      return model
    }
    return { [self] in
      var response = try response(201, model, served)
      if identifier == nil, let created = model.identifier {
        response.http.headers["Location"] = location(of: created, served)
      }
      return response
    }
  }

  /// Returns the path of a record.
  func location(of identifier: String, _ served: ServedType) -> String {
    let components = options.basePath.split(separator: "/").map(String.init) + served.path + [identifier]
    return "/" + components.map(PathText.encoded).joined(separator: "/")
  }

  /// Rejects an identifier that differs from the path: the identifier of a record can't be changed.
  private func checkIdentifier<M: Model>(in record: AttributeDictionary, _ model: M) throws {
    guard let key = model.identifierField?.key, let value = value(of: key, in: record), !value.isNull,
      (value.stringValue ?? value.intValue.map { String($0) }) != model.identifier
    else { return }
    let other = M.prototype()
    // Such as a UUID in lowercase.
    if let field = other.identifierField, (try? other.read(record, fields: [field], in: makeScope())) != nil,
      other.identifier == model.identifier
    {
      return
    }
    let outermost = self.key(of: model.identifierField, model) ?? key
    throw ServiceProblem(422, "The body has another identifier than the path, which can't be changed.").about(outermost)
  }

  /// Rejects an identifier of a client in the upper half of all integers. The store assigns integers after the largest
  /// one so far, and would have none left.
  private func checkSize<M: Model>(of model: M) throws {
    guard let field = model.identifierField, field.valueType is any FixedWidthInteger.Type,
      let integer = model.identifier.flatMap({ Int($0) }), integer > .max / 2, let key = key(of: field, model)
    else { return }
    let problem = ServiceProblem(422, "The identifier is larger than \(Int.max / 2), which is the limit for clients.")
    throw problem.about(key)
  }

  /// Replaces a record, or creates it under its identifier.
  func put<M: Model, S: TransactionalModelStore>(
    _ type: M.Type, _ served: ServedType, _ identifier: String, _ call: ServiceCall, _ store: S
  ) async throws -> WrittenAnswer {
    // Responses differ by whether the record exists, so no other user may get them.
    guard served.mayAllow(.create) || (served.mayAllow(.update) && !call.createsOnly) else { throw refusal(call) }
    do {
      let model = try await store.lookup(type, identifier: identifier)
      if call.createsOnly {
        let current = served.allows(.read, model, call.request) ? try version(of: model, served) : nil
        throw ServiceProblem(412, "A record with this identifier exists already.", current: current)
      }
    } catch let error as ModelStoreError where error.code == .notFound {
      guard served.mayAllow(.create), options.acceptsIdentifiers, call.headers["If-Match"] == nil else { throw error }
      return try await create(type, served, identifier, call, store)
    }
    return try await update(type, served, identifier, call, store, replaces: true)
  }

  /// - Parameter replaces: whether fields that the body lacks become nil.
  func update<M: Model, S: TransactionalModelStore>(
    _ type: M.Type, _ served: ServedType, _ identifier: String, _ call: ServiceCall, _ store: S, replaces: Bool
  ) async throws -> WrittenAnswer {
    guard served.mayAllow(.update) else { throw refusal(call) }
    try refuseItems(call)
    let body = try call.record(options, dialect, served.form)
    let model = try await store.transaction { store in
      let model = try await readable(type, served, identifier, call, in: store)
      guard served.allows(.update, model, call.request) else { throw refusal(call) }
      let current = try self.version(of: model, served)
      try call.checkPrecondition(current)
      var record = body
      try checkIdentifier(in: record, model)
      if let key = model.identifierField?.key {
        HiddenFields.change(&record, at: context.key(key).split(separator: ".").map(String.init)[...]) { $0 = nil }
      }
      if replaces { fill(&record, of: model) }
      try checkKeys(of: record, model)
      let known = Set(RecordReference.all(in: model))
      try model.read(record, as: .edit)
      try checkNested(record, of: model)
      guard served.allows(.update, model, call.request) else { throw refusal(call) }
      try await checkReferences(of: model, except: known, call, in: store)
      try await store.update(model)
      return model
    }
    return { [self] in try response(200, model, served) }
  }

  func delete<M: Model, S: TransactionalModelStore>(
    _ type: M.Type, _ served: ServedType, _ identifier: String, _ call: ServiceCall, _ store: S
  ) async throws -> WrittenAnswer {
    guard served.mayAllow(.delete) else { throw refusal(call) }
    try refuseItems(call)
    try await store.transaction { store in
      let model = try await readable(type, served, identifier, call, in: store)
      guard served.allows(.delete, model, call.request) else { throw refusal(call) }
      try call.checkPrecondition(try self.version(of: model, served))
      try await store.delete(model)
    }
    return { WrittenResponse(http: HTTPResponseData(status: 204)) }
  }

  private func response(_ status: Int, _ model: ModelObject, _ served: ServedType) throws -> WrittenResponse {
    let record = try wholeRecord(of: model)
    return WrittenResponse(http: response(status, try version(of: model, record, served)), record: record)
  }

  /// Returns the response to a write with a record in its body.
  func response(_ status: Int, _ version: RecordVersion) -> HTTPResponseData {
    let headers: HTTPHeaderList = ["ETag": version.tag, "Content-Type": dialect.servedMediaType]
    return HTTPResponseData(status: status, headers: headers, body: version.body)
  }

  // MARK: Keys

  /// Returns the outermost key of a field as records spell it.
  private func key(of field: AnyField?, _ model: ModelObject) -> String? {
    withExtendedLifetime(model) { field?.key.map { String(context.key($0).prefix { $0 != "." }) } }
  }

  /// Rejects keys that no request may write, instead of ignoring them silently.
  ///
  /// - Throws: ``ServiceProblem`` with the status 422 and the keys.
  private func checkKeys(of record: AttributeDictionary, _ model: ModelObject) throws {
    let hidden = hidden.keys(of: type(of: model))
    let keys = model.fieldsForDictionaryValue().compactMap(\.key).filter { !hidden.contains($0) }
    var refused: [String: [String]] = [:]
    refuseUnknownKeys(of: record, except: keys, model.storedTypeName, at: FieldPath(), &refused)
    if refused.isEmpty { return }
    var problem = ServiceProblem(422, "The record was not written: it has unknown or hidden keys.")
    problem.fields = refused
    throw problem
  }

  /// Sets the keys of writable fields that a record lacks to `null`, but for those that a client can't know.
  private func fill(_ record: inout AttributeDictionary, of model: ModelObject) {
    let unwritten = unreadable.keys(of: type(of: model)).union(protected.keys(of: type(of: model)))
    for field in model.fieldsForDictionaryValue() where field !== model.identifierField {
      guard let key = field.key, !unwritten.contains(key), value(of: key, in: record) == nil else { continue }
      // A value that is no object is rejected afterwards.
      try? record.set(.null, atNestedKey: context.key(key))
    }
  }
}

extension ServiceProblem {
  /// Returns the problem with its text as the message of a field.
  func about(_ key: String) -> ServiceProblem {
    var problem = self
    problem.fields[key] = [detail]
    return problem
  }
}

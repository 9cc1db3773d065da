@_spi(ModelKitInternals) public import StoreProtocol

// Requests that add several models.
extension RESTModelStore {
  /// Adds models. If the dialect creates together, those of one collection whose records have the same keys are added
  /// with one request; otherwise each has its own.
  ///
  /// All models are checked before the first request. The first error ends the call, and the models of earlier requests
  /// stay stored. Models that reference other new ones among them are added one by one.
  ///
  /// - Throws: `ModelStoreError` as ``create(_:)`` does. The code is `server`, and the models stay new, if the answer
  ///   has another number of records, or records of other models.
  @discardableResult
  public func createAll<M: Model>(_ models: [M]) async throws -> [M] {
    let given = Set<ModelObject>(models)
    guard handle.dialect.createsTogether, models.count > 1, given.count == models.count,
      !models.contains(where: { Self.references(given, from: $0) })
    else {
      try await createEach(models)
      return models
    }
    let creation = try await scope.creations.begin(models)
    defer { scope.creations.end(creation) }
    var groups: [BulkCreation<M>] = []
    var known: Set<ExactText> = []
    for (index, model) in models.enumerated() {
      let save: SaveOperation<M>
      do {
        save = try await SaveOperation(creating: model, in: scope)
      } catch let error as ModelStoreError {
        throw error.naming(model, at: index, of: models.count)
      }
      let isTemporary = save.identifier.map(handle.dialect.isTemporary) ?? false
      let identifier = isTemporary ? nil : save.identifier
      if let identifier, !known.insert(ExactText(identifier)).inserted {
        throw ModelStoreError(
          .conflict, "Nothing was written: two of the new models have the identifier \(identifier.quotedForMessage).",
          identifier: identifier)
      }
      let record = isTemporary ? withoutIdentifier(save) : save.record
      let payload = try payload(save.typeName, identifier, record, type(of: model))
      let router = handle.router
      let collection = try router.pathOfCollection(containing: model, depth: router.maxPathDepth)
      let keys = payload.objectValue.map { Set($0.keys) } ?? []
      let index =
        groups.firstIndex { $0.collection == collection && $0.keys == keys && $0.typeName == save.typeName }
        ?? groups.endIndex
      if index == groups.endIndex {
        groups.append(BulkCreation(collection: collection, keys: keys, typeName: save.typeName))
      }
      groups[index].members.append((save, identifier, payload))
    }
    creation.willWrite(Set(groups.map(\.typeName)))
    for group in groups {
      try await ModelStoreEvent.recording(.create, of: RESTModelStore.self, M.typeName) { event in
        try await send(group, isOnly: groups.count == 1)
        event?.count = group.members.count
      }
    }
    return models
  }

  /// Returns whether a model, or one that it embeds, references one of several. Their identifiers may be assigned when
  /// they are created, and a server may reject a reference to a model that it does not have yet.
  private static func references(_ models: Set<ModelObject>, from model: ModelObject) -> Bool {
    model.fieldsForDictionaryValue().contains { field in
      guard let relation = field as? any RelationField else { return false }
      return relation.relatedModels.contains { related in
        models.contains(related) || !relation.isForeignKey && references(models, from: related)
      }
    }
  }

  private func send<M: Model>(_ group: BulkCreation<M>, isOnly: Bool) async throws {
    var operation = RESTOperation(
      .create, typeName: group.typeName, collectionPath: group.collection,
      identifierKey: names(of: M.self).identifierKey)
    operation.isBulk = true
    var call = try RESTCall(operation, self)
    call.setIdempotencyKey(isOnly ? IdempotencyKey.current : nil, by: handle.options)
    call.payload = .array(group.members.map(\.payload))
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    let write = handle.writes.begin(group.typeName)
    defer { handle.writes.end(write) }
    do {
      try await RESTCall.$isSendingCreation.withValue(true, in: #isolation) {
        try await handle.run(call, reports: false) { answer, _ in
          let records = try checked(self.records(in: answer, of: M.self), of: group)
          for (member, record) in zip(group.members, records) {
            try readingAnswer(to: member.save.model, since: start) { try member.save.finish(answer: record) }
            report(.created, member.save, answer: record, isAlone: handle.writes.isAlone(write))
            tags.set(nil, of: member.save.model)
          }
        }
      }
    } catch {
      addMessages(of: error, to: group)
      throw await handle.reported(error)
    }
  }

  /// Adds the messages of a rejected request to the models that they are about: their keys begin with an index.
  private func addMessages<M: Model>(of error: any Error, to group: BulkCreation<M>) {
    guard let error = error as? ModelStoreError, [.invalid, .conflict].contains(error.code) else { return }
    for (key, messages) in error.fields {
      // "[1].name", "1.name", or either below "data".
      let steps = key.split { ".[]".contains($0) }.drop { $0 == "data" }
      guard let index = steps.first.flatMap({ Int($0) }), group.members.indices.contains(index), steps.count > 1 else {
        continue
      }
      group.members[index].save.model.addErrors(
        [steps.dropFirst().joined(separator: "."): .array(messages.map { .string($0) })], in: scope.transformers)
    }
  }

  /// Returns the records of an answer with their identifiers. No model has changed before all of them fit.
  private func checked<M: Model>(
    _ records: [AttributeDictionary], of group: BulkCreation<M>
  ) throws -> [AttributeDictionary] {
    guard records.count == group.members.count else {
      throw ModelStoreError(
        .server, "the response has \(records.count) records for \(group.members.count) new models")
    }
    var seen: Set<ExactText> = []
    return try zip(group.members, records).enumerated().map { index, element in
      let (member, record) = element
      do {
        return try checked(record, of: member.save.model, sentAs: member.identifier, &seen)
      } catch let error as ModelDecodingError {
        throw error.inside(FieldPath([.index(index)]))
      }
    }
  }

  private func checked<M: Model>(
    _ record: AttributeDictionary, of model: M, sentAs sent: String?, _ seen: inout Set<ExactText>
  ) throws -> AttributeDictionary {
    var record = record
    if let sent { try identify(&record, as: sent, of: type(of: model)) }
    // It reads the whole record, which proves that it fits.
    if let identifier = try identifier(in: record, of: type(of: model)) {
      guard seen.insert(ExactText(identifier)).inserted else {
        throw ModelStoreError(.server, "two records of the response have the identifier \(identifier.quotedForMessage)")
      }
      if sent == nil { try checkIsFree(identifier, for: model, besides: nil) }
    } else if sent == nil, model.identifierField != nil {
      throw ModelStoreError(.server, "a record of the response has no identifier for its new model")
    }
    return record
  }
}

/// The new models of one collection whose records have the same keys.
private struct BulkCreation<M: Model> {
  let collection: String
  let keys: Set<String>
  let typeName: String
  var members: [(save: SaveOperation<M>, identifier: String?, payload: JSONValue)] = []
}

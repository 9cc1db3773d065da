@_spi(ModelKitInternals) public import StoreProtocol

/// The number of times that an update is repeated because others changed other fields of the record.
private let maximumMerges = 8

// Requests that write one model.
extension RESTModelStore {
  /// Adds a model with a POST to its collection, or with a PUT at its own path if the dialect requires it. The answer
  /// is read into the model. An identifier that the server assigned also replaces a temporary one.
  ///
  /// A server may give a model another identifier than the one it was sent with. Then the model and all references to
  /// it here have the identifier of the server, and the monitor of the ``RESTOptions`` receives
  /// ``RESTEvent/Kind/identifierReplaced(sent:by:)``. Compare the identifiers before and after if yours must stay.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` if a rule of the model or server is broken, or `conflict` if
  ///   the server has the model. Any other failure has its own code.
  @discardableResult
  public func create<M: Model>(_ model: M) async throws -> M {
    try await ModelStoreEvent.recording(.create, of: RESTModelStore.self, M.typeName) { event in
      try await send(creationOf: model)
      event?.count = 1
      return model
    }
  }

  private func send<M: Model>(creationOf model: M) async throws {
    let creation = try await scope.creations.begin([model])
    defer { scope.creations.end(creation) }
    let save = try await SaveOperation(creating: model, in: scope)
    let isTemporary = save.identifier.map(handle.dialect.isTemporary) ?? false
    let identifier = isTemporary ? nil : save.identifier
    let puts = handle.dialect.createsWithPut && identifier != nil
    let router = handle.router
    let depth = router.maxPathDepth
    let collection = try router.pathOfCollection(containing: model, depth: depth)
    let path = puts ? try router.pathOfInstance(model, depth: depth) : collection
    var call = try self.call(.create, model, collection: collection, path: path, identifier: identifier)
    if puts {
      call.method = .put
      // Without this header, a PUT would replace an existing model.
      call.headers["If-None-Match"] = "*"
    }
    if handle.options.monitor != nil { call.number = RESTExchange.nextNumber() }
    call.payload = try payload(
      save.typeName, identifier, isTemporary ? withoutIdentifier(save) : save.record, type(of: model))
    // The server has the model before its answer arrives.
    creation.willWrite([save.typeName])
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    let write = handle.writes.begin(save.typeName)
    defer { handle.writes.end(write) }
    do {
      try await RESTCall.$isSendingCreation.withValue(true, in: #isolation) {
        try await handle.run(call, reports: false) { answer, response in
          var record = try self.record(in: answer, of: type(of: model))
          let answered = try record.flatMap { try self.identifier(in: $0, of: type(of: model)) }
          if let answered {
            try checkIsFree(answered, for: model, besides: identifier)
          } else if let identifier, var known = record {
            try identify(&known, as: identifier, of: type(of: model))
            record = known
          } else if identifier == nil, model.identifierField != nil {
            throw ModelStoreError(.server, "the response has no identifier for the new model")
          }
          try readingAnswer(to: model, since: start) { try save.finish(answer: record) }
          report(.created, save, answer: record, isAlone: handle.writes.isAlone(write))
          tags.set(tag(in: response), of: model)
        }
      }
    } catch {
      throw await reported(error, on: model)
    }
    if let identifier, let stored = model.identifier, stored != identifier {
      RESTExchange(handle, call).report(.identifierReplaced(sent: identifier, by: stored))
    }
  }

  /// Writes changes of a model with the ``conflictPolicy``.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed. A PUT writes all fields in any case.
  /// - Throws: `ModelStoreError` as ``update(_:fields:onConflict:)`` does.
  @discardableResult
  public func update<M: Model>(_ model: M, fields: [AnyField]?) async throws -> M {
    try await update(model, fields: fields, onConflict: conflictPolicy)
  }

  /// Writes changes of a model with a PATCH of the written fields, or with a PUT of the whole record if the dialect
  /// requires it. A PUT of a model of which a part was not read yet is preceded by a lookup, which keeps the changes.
  ///
  /// With `merge` the request has the entity tag of the version that the changes are based on, if a strong one is
  /// known. If another writer changed other fields since, a PATCH is sent again with the tag of the server's current
  /// version, at most 8 times. A PUT fails. Without a tag the server decides, and usually the last writer wins. `fail`
  /// requires a tag. `overwrite` sends none.
  ///
  /// Updates of one model run one after the other. Each writes the fields that are unsaved when it begins.
  ///
  /// - Parameters:
  ///   - model: the model to write.
  ///   - fields: the fields to write; nil for those that changed. A PUT writes all fields in any case.
  ///   - policy: the policy for a record that another writer changed since the model was read.
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, or `invalid` if a rule of the model or of
  ///   the server is broken. The code is `conflict`, with both values and a ``RESTConflict`` as its cause, if someone
  ///   else changed the model. It is `unsupported` if no strong entity tag is known for `fail`. Any other failure has
  ///   its own code.
  @discardableResult
  public func update<M: Model>(
    _ model: M, fields: [AnyField]?, onConflict policy: ConflictPolicy
  ) async throws -> M {
    try await ModelStoreEvent.recording(.update, of: RESTModelStore.self, M.typeName) { event in
      try await send(changesOf: model, fields, policy)
      event?.count = 1
      return model
    }
  }

  private func send<M: Model>(
    changesOf model: M, _ fields: [AnyField]?, _ policy: ConflictPolicy
  ) async throws {
    let hasWaited = try await saveTurns.begin(ObjectIdentifier(model))
    defer { saveTurns.end(ObjectIdentifier(model)) }
    // The update before has written everything.
    if hasWaited, fields == nil, !model.hasUnsavedValues { return }
    var known = tags.changedTag(of: model)
    if policy == .fail, known == nil {
      throw ModelStoreError(
        .unsupported,
        """
        This \(model.storedTypeName.nameForMessage) was not written: without a strong entity tag the store can't detect changes of other \
        writers. Look the model up first, or save it without onConflict: .fail.
        """, identifier: model.storedIdentifier)
    }
    let isWhole = handle.dialect.method(for: .update) == .put
    if isWhole, hasUnreadFields(model), let identifier = model.storedIdentifier {
      // The server removes what a PUT lacks.
      scope.add(model)
      _ = try await lookup(type(of: model), identifier, embedding: [])
      known = tags.changedTag(of: model)
    }
    let save = try await SaveOperation(updating: model, fields: isWhole ? model.storableFields : fields, in: scope)
    // Rules that wait may have let a refresh read another version.
    known = tags.changedTag(of: model) ?? known
    let router = handle.router
    let depth = router.maxPathDepth
    var call = try self.call(
      .update, model, collection: router.pathOfCollection(containing: model, depth: depth),
      path: router.pathOfInstance(model, depth: depth), identifier: save.identifier)
    var record = save.record
    if isWhole {
      // The server removes what a PUT lacks.
      for value in model.storedUnknownValues(in: scope.transformers, isUnsaved: false) { value.write(to: &record) }
    }
    call.payload = try payload(save.typeName, save.identifier, record, type(of: model))
    var onConflict: (() async -> RESTConflict?)?
    if let known, policy != .overwrite {
      call.headers["If-Match"] = known
      onConflict = { await self.serverVersion(of: type(of: model), call.operation) }
    }
    let write = handle.writes.begin(save.typeName)
    defer { handle.writes.end(write) }
    let start = scope.pendingReads.begin()
    defer { scope.pendingReads.end() }
    var repetitions = 0
    while true {
      do {
        try await handle.run(call, onConflict: onConflict, reports: false) { answer, response in
          var record = try self.record(in: answer, of: type(of: model))
          if let identifier = save.identifier, var known = record {
            try identify(&known, as: identifier, of: type(of: model))
            record = known
          }
          try readingAnswer(to: model, since: start) { try save.finish(answer: record) }
          report(.updated, save, answer: record, isAlone: handle.writes.isAlone(write))
          // If the server answers without a record, changes by others are not read yet.
          let isRead = record != nil || isWhole || call.headers["If-Match"] == known
          tags.set(isRead ? tag(in: response) : tags.tag(of: model), of: model)
        }
        return
      } catch var error as ModelStoreError where error.cause is RESTConflict {
        guard let conflict = error.cause as? RESTConflict else { throw await reported(error, on: model) }
        error.conflicts = save.conflicts(isWhole ? .fail : policy) { path in
          [path.dropFirst().reduce(conflict.record[path[0]]) { $0?[$1] }]
        }
        // Others changed other fields only, so the changes are merged.
        guard policy == .merge, !isWhole, error.conflicts.isEmpty, !conflict.record.isEmpty,
          let next = conflict.entityTag, EntityTags.isStrong(next), next != call.headers["If-Match"]
        else { throw await reported(error, on: model) }
        // The record changes continuously, or the server makes another tag for each answer.
        guard repetitions < maximumMerges else {
          error.message += """
            ; the entity tag had changed after each of \(repetitions + 1) attempts. The changes are kept: save again later, or \
            with onConflict: .overwrite.
            """
          throw await reported(error, on: model)
        }
        repetitions += 1
        call.headers["If-Match"] = next
        call.setIdempotencyKey(by: handle.options)
      } catch {
        throw await reported(error, on: model)
      }
    }
  }

  /// Deletes a model with a DELETE, after one for each model to which the delete rules of its relations cascade, the
  /// furthest first.
  ///
  /// The rules apply to the models that are known here, unloaded references included; the server decides about all
  /// others. A remaining model with a foreign key to a deleted one references nothing then. That is written when it is
  /// saved next.
  ///
  /// The first of these requests has the entity tag of the version that was read last, if there is one. So no unread
  /// change is deleted. The other requests have none: an earlier deletion may have changed their version.
  ///
  /// - Throws: `ModelStoreError` with the code `noIdentifier`, `notFound`, or `denied` if a rule denies it. The code is
  ///   `conflict`, with a ``RESTConflict`` as its cause, if another writer changed the model. Any other failure has its
  ///   own code. Deletions before the failed one are kept.
  @discardableResult
  public func delete<M: Model>(_ model: M) async throws -> M {
    try await ModelStoreEvent.recording(.delete, of: RESTModelStore.self, M.typeName) { event in
      try await send(deletionOf: model)
      event?.count = 1
      return model
    }
  }

  private func send<M: Model>(deletionOf model: M) async throws {
    let deletion = try await PendingDeletion(of: model, in: self, completesRelations: false)
    let router = handle.router
    let depth = router.maxPathDepth
    let calls = try zip(deletion.records, deletion.storedModels).map { record, member in
      var call = try self.call(
        .delete, member, collection: router.pathOfCollection(containing: member, depth: depth),
        path: router.pathOfInstance(member, depth: depth), identifier: record.identifier)
      call.ignoresPayload = true
      return (record, member, call)
    }
    var isFirst = true
    for (record, member, plainCall) in calls {
      try await saveTurns.begin(ObjectIdentifier(member))
      defer { saveTurns.end(ObjectIdentifier(member)) }
      var call = plainCall
      var onConflict: (() async -> RESTConflict?)?
      if isFirst, let tag = tags.tag(of: member), EntityTags.isStrong(tag) {
        call.headers["If-Match"] = tag
        let (type, operation): (any Model.Type, RESTOperation) = (
          Swift.type(of: member) as? any Model.Type ?? M.self, call.operation
        )
        onConflict = { await self.serverVersion(of: type, operation) }
      }
      isFirst = false
      let write = handle.writes.begin(record.typeName)
      defer { handle.writes.end(write) }
      do {
        try await handle.run(call, onConflict: onConflict, reports: false) { _, _ in tags.set(nil, of: member) }
        notifyDeletion(of: record)
      } catch let error as ModelStoreError where error.code == .notFound && !record.isRequested {
        continue
      } catch {
        throw await handle.reported(error)
      }
    }
    try await deletion.finish(updatesOthers: false)
  }
}

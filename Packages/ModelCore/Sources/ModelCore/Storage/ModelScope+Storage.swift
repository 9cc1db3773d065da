@_spi(ModelKitInternals) public import FieldKit

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

@_spi(ModelKitInternals)
extension ModelScope {
  /// Reads records into their registered models, atomically.
  ///
  /// - Parameter localChanges: what happens to the local changes of live models.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public func models<M: Model>(
    _ type: M.Type, from records: [AttributeDictionary], localChanges: LocalChanges
  ) throws -> [M] {
    try map.readBesideTransactions(localChanges: localChanges) {
      let reader = ModelReader(scope: self, localChanges: localChanges, isFromStore: true)
      return whole(reader.apply(try records.map { try reader.stage($0, as: type) }))
    }
  }

  /// Reads a list of records in a document into their registered models, atomically.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - path: the path of the list in the document; the whole document by default.
  ///   - identifiers: returns the identifier that the record with a number must have; nil if any will do.
  ///   - localChanges: what happens to the local changes of live models.
  /// - Throws: `JSONSyntaxError` if the bytes are not JSON. ``ModelDecodingError`` for the first value that does not
  ///   fit, or the first record with another identifier; nothing is changed then.
  public func models<M: Model>(
    _ type: M.Type, fromJSON data: Data, at path: String = "", identifiers: ((Int) -> String)? = nil,
    localChanges: LocalChanges
  ) throws -> [M] {
    func reader() -> ModelReader {
      let reader = ModelReader(scope: self, localChanges: localChanges, isFromStore: true)
      reader.identifiers = identifiers
      return reader
    }
    return try map.readBesideTransactions(localChanges: localChanges) {
      whole(
        try ModelReader.directList(type, from: data, at: path, reader())
          ?? ModelReader.list(type, from: data, at: path, reader()))
    }
  }

  /// Reads the record of a model directly from a document into its registered model.
  ///
  /// - Parameters:
  ///   - data: the document.
  ///   - path: the path of the record in the document; the whole document by default.
  ///   - identifier: the identifier that the record must have.
  ///   - localChanges: what happens to the local changes of live models.
  /// - Returns: nil, with nothing changed, if the record has another identifier or none, a value does not fit, or the
  ///   tree path is needed.
  public func model<M: Model>(
    _ type: M.Type, fromJSON data: Data, at path: String = "", identifier: String, localChanges: LocalChanges
  ) -> M? {
    data.withUnsafeBytes {
      model(type, fromBytes: $0, at: path, identifier: identifier, localChanges: localChanges)
    }
  }

  /// Reads the record of a model from bytes, as ``model(_:fromJSON:at:identifier:localChanges:)`` does.
  public func model<M: Model>(
    _ type: M.Type, fromBytes bytes: UnsafeRawBufferPointer, at path: String = "", identifier: String,
    localChanges: LocalChanges
  ) -> M? {
    map.readBesideTransactions(localChanges: localChanges) {
      let model = ModelReader.directRecord(
        type, from: bytes, at: path, identifier: identifier,
        ModelReader(scope: self, localChanges: localChanges, isFromStore: true))
      model?.markLoaded()
      return model
    }
  }

  /// Checks a store's response to the save of a model.
  ///
  /// - Parameters:
  ///   - answer: the response.
  ///   - model: the model.
  ///   - saved: the fields that the save wrote, and the moment at which it captured them; nil for no save.
  /// - Returns: a closure that reads the response into the model, except for fields that are dirty at that time.
  /// - Throws: ``ModelDecodingError`` for the first value that does not fit; nothing is changed then.
  public func staged<M: Model>(
    _ answer: AttributeDictionary, into model: M, saved: (fields: [AnyField], stamp: ChangeStamp)? = nil
  ) throws -> () -> Void {
    let reader = ModelReader(scope: self, localChanges: .keep, isFromStore: true)
    reader.save = saved.map { (model, Set($0.fields.map { ObjectIdentifier($0) }), $0.stamp) }
    reader.registerRelatedModels(of: model)
    // A new model gets its identifier with the answer, which may refer back to it.
    reader.register(model, answeredBy: answer)
    let staged = try reader.stage(answer, into: model)
    return { [map] in
      map.answer(model) {
        map.readBesideTransactions(localChanges: .keep) { _ = reader.apply([staged]) }
      }
    }
  }

  /// Runs a read of records that keeps the values of some models, as it keeps local changes.
  ///
  /// - Parameters:
  ///   - kept: the models.
  ///   - body: the read.
  /// - Returns: the result of the read, and the live models into which more than a reference was read.
  public func reading<Result>(
    keeping kept: [ModelObject], _ body: () throws -> Result
  ) rethrows -> (result: Result, models: [ModelObject]) {
    map.readModels = []
    defer { map.readModels = nil }
    return (try map.keeping(kept, inReads: body), map.readModels ?? [])
  }

  /// The models created by open transactions of other tasks: the running task can't find their records.
  public var modelsCreatedElsewhere: Set<ModelObject> { map.modelsCreatedElsewhere }

  private func whole<M: Model>(_ models: [M]) -> [M] {
    models.withReferences { references in
      for reference in references {
        reference._withUnsafeGuaranteedRef { unsafeDowncast($0, to: ModelObject.self).markLoaded() }
      }
    }
    return models
  }

  /// Adds a source of the classes of unread records. So unloaded references to models of a hierarchy have their class.
  ///
  /// - Parameters:
  ///   - owner: the source, which ends with this object.
  ///   - classOfRecord: returns the class of the record with an identifier; nil if there is none.
  public func addClasses(
    of owner: AnyObject, _ classOfRecord: @escaping (ModelObject.Type, _ identifier: String) -> ModelObject.Type?
  ) {
    map.classSources.removeAll { $0.owner == nil }
    map.classSources.append(IdentityMap.ClassSource(owner: owner, classOfRecord: classOfRecord))
  }

  /// Adds a model to this scope, and registers it under its identifier unless another live model is.
  public func add(_ model: ModelObject) { register(model) }

  /// Adds a model whose record a store has just created. Another stored model with its identifier is marked as deleted,
  /// because it was read from an earlier, deleted record.
  public func addCreated(_ model: ModelObject) { map.add(model, isCreated: true) }

  /// Records that the open transaction of the running task created a model.
  public func noteUncommittedCreation(of model: ModelObject) {
    map.innermostTransaction?.didCreate(model)
    for edits in map.transactions { edits.didCreateElsewhere(model) }
  }

  /// Reserves capacity for models of a type that are about to be added, if there are many.
  public func reserveCapacity<M: Model>(_ count: Int, for type: M.Type) {
    if count > 64 { map.reserveCapacity(count, for: ModelTypeKey(type)) }
  }

  /// Returns whether it is certain that there is no live model of a type.
  public func hasNoModel<M: Model>(of type: M.Type) -> Bool { map.hasNone(of: ModelTypeKey(type)) }

  /// Returns the live model with an identifier.
  public func liveModel<M: Model>(_ type: M.Type, identifier: String) -> M? {
    guard let model = map.canonicalModel(of: type, identifier: identifier) else { return nil }
    // The classes are almost always equal, and a cast would cost as much as the lookup.
    return Swift.type(of: model) == type ? unsafeDowncast(model, to: M.self) : model as? M
  }
}

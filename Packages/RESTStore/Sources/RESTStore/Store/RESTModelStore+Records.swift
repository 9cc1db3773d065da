@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import StoreProtocol

// Conversion between records and payloads.
extension RESTModelStore {
  /// Returns the payload of a save in the form of the API.
  func payload<M: Model>(
    _ typeName: String, _ identifier: String?, _ record: AttributeDictionary, _ type: M.Type
  ) throws -> JSONValue {
    do {
      let payload = try handle.dialect.serialize(record, of: type)
      if additions.payload.isEmpty { return payload }
      guard case .object(let members) = payload else {
        throw ModelDecodingError(path: FieldPath(), expected: "an object", found: payload.typeDescription)
      }
      return .object(members.merging(additions.payload) { $1 })
    } catch let error as ModelStoreError {
      throw error
    } catch {
      throw ModelStoreError(
        .invalid, "This \(typeName) was not written, because the dialect rejects it: \(error)", identifier: identifier,
        cause: error)
    }
  }

  /// Reads the model of a lookup from the bytes of the answer; returns nil if the answer is unusual.
  ///
  /// Errors of an answer are left to the other path, which can describe them better.
  func plainModel<M: Model>(
    in response: HTTPResponseData, _ type: M.Type, _ identifier: String, readSince start: PendingReads.Moment
  ) -> M? {
    let dialect = handle.dialect
    guard response.isSuccessful, let path = dialect.plainRecordPath, !handle.router.sharesCollection(type),
      let model = readingRecords(
        since: start,
        { scope.model(type, fromJSON: response.body, at: path, identifier: identifier, localChanges: $0) })
    else { return nil }
    tags.setRead(tag(in: response), of: model)
    return model
  }

  /// Reads records of an answer. The models of other records inside them lose their entity tags, which are of other
  /// versions. If they were saved since the request was sent, they keep their values and tags.
  ///
  /// - Parameter read: reads the records; it receives the treatment of local changes.
  func readingRecords<Result>(
    since start: PendingReads.Moment, _ read: (LocalChanges) throws -> Result
  ) rethrows -> Result {
    try readingRecords { localChanges in
      var saved = scope.pendingReads.saved(since: start)
      if case .overwriteOnly(let model) = localChanges { saved.removeAll { ObjectIdentifier($0) == model } }
      return try reading(keeping: saved, since: start) { try read(localChanges) }
    }
  }

  /// Reads the answer to the save of a model, as ``readingRecords(since:_:)`` does. That model keeps its tag.
  func readingAnswer(to model: ModelObject, since start: PendingReads.Moment, _ read: () throws -> Void) rethrows {
    try reading(keeping: scope.pendingReads.saved(since: start).filter { $0 !== model }, since: start, model, read)
  }

  private func reading<Result>(
    keeping newer: [ModelObject], since start: PendingReads.Moment, _ saved: ModelObject? = nil,
    _ read: () throws -> Result
  ) rethrows -> Result {
    if newer.isEmpty, tags.isEmpty, !scope.pendingReads.hasDeletions { return try read() }
    let (result, models) = try scope.reading(keeping: newer, since: start, read)
    let kept = Set(newer)
    tags.remove(models.filter { $0 !== saved && !kept.contains($0) })
    return result
  }

  /// Returns the live model of an identifier if it was saved during the request: the answer may be older.
  func newerModel<M: Model>(
    _ type: M.Type, _ identifier: String, than start: PendingReads.Moment, _ response: HTTPResponseData
  ) -> M? {
    guard response.isSuccessful, let live = scope.liveModel(type, identifier: identifier),
      scope.pendingReads.isNewer(live, than: start)
    else { return nil }
    return live
  }

  /// Returns the models of the records of a list. Models that were saved during the request stay unchanged.
  func models<M: Model>(of records: [AttributeDictionary], readSince start: PendingReads.Moment) throws -> [M] {
    try models(
      M.self, count: records.count, readSince: start, identifier: { try identifier(in: records[$0], of: M.self) }
    ) { numbers in
      let records = numbers.count == records.count ? records : numbers.map { records[$0] }
      let models = try readingRecords(since: start) {
        try scope.models(M.self, from: records, localChanges: $0)
      }
      tags.remove(models)
      return models
    }
  }

  /// Returns the record of a new model without its identifier, which the server is to choose.
  func withoutIdentifier<M: Model>(_ save: SaveOperation<M>) -> AttributeDictionary {
    var record = JSONValue.object(save.record)
    let path = save.identifier.flatMap { save.model.storedValue(ofIdentifier: $0, in: scope.transformers)?.path } ?? []
    func remove(_ path: ArraySlice<String>, from value: JSONValue) -> JSONValue {
      guard case .object(var members) = value, let key = path.first else { return value }
      members[key] =
        path.count == 1 ? Optional<JSONValue>.none : members[key].map { remove(path.dropFirst(), from: $0) }
      return .object(members)
    }
    record = remove(path[...], from: record)
    return record.objectValue ?? [:]
  }

  /// Returns whether the record of a model may have values that were never read, and that a PUT would remove.
  func hasUnreadFields(_ model: ModelObject) -> Bool {
    !model.isNew
      && model.fieldsForDictionaryValue().contains { field in
        if model.relationStoredByInverse(among: [field]) != nil { return false }
        return field.loadState == .incomplete
          || !field.isDirty && (field.loadState != .loaded || field.wasNeverSaved)
      }
  }

  /// Returns the one record of an answer; nil if the answer has none.
  func record<M: Model>(in answer: RESTResponse, of type: M.Type) throws -> AttributeDictionary? {
    guard let payload = answer.payload, !payload.isNull else { return nil }
    do {
      return try deserialized(payload, of: type)
    } catch let error as ModelDecodingError {
      throw error.inside(answer.place)
    }
  }

  /// Returns a payload as the dialect reads it, with identifiers under the keys of this store.
  func deserialized<M: Model>(_ payload: JSONValue, of type: M.Type) throws -> AttributeDictionary {
    try RESTIdentifier.$transformers.withValue(scope.transformers) {
      try handle.dialect.deserialize(payload, of: type)
    }
  }

  /// Returns the record of an answer to a lookup.
  func record<M: Model>(
    answering answer: RESTResponse, identifier: String, of type: M.Type
  ) throws -> AttributeDictionary {
    guard var record = try self.record(in: answer, of: type) else {
      throw ModelStoreError(.server, "the response has no body, where the model was expected")
    }
    if handle.router.sharesCollection(type), !M.includes(record) {
      throw ModelStoreError(.notFound, "the record there is of the class \(M.storedClass(for: record).displayName)")
    }
    try identify(&record, as: identifier, of: type)
    return record
  }

  /// Returns an identifier as models spell it, such as a UUID in upper case.
  func spelled<M: Model>(_ identifier: String, of type: M.Type) -> String {
    let sample = M.prototype()
    return sample.assignIdentifier(identifier) ? sample.identifier ?? identifier : identifier
  }

  /// Writes an identifier to a record that has none. A server need not repeat the identifier of the request, and can't
  /// remove that of a model.
  ///
  /// - Throws: `ModelDecodingError` with the path of the identifier if the record has another one, which would give a
  ///   model the identity of another.
  func identify<M: Model>(_ record: inout AttributeDictionary, as identifier: String, of type: M.Type) throws {
    guard let expected = M.prototype().storedValue(ofIdentifier: identifier, in: scope.transformers) else { return }
    // The usual case, in which nothing has to be read twice.
    if expected.path.count == 1, record[expected.path[0]] == expected.value { return }
    guard let found = try self.identifier(in: record, of: type) else { return expected.write(to: &record) }
    if found == identifier { return }
    throw ModelDecodingError(
      path: FieldPath(expected.path.map { .key($0) }), expected: identifier.quotedForMessage,
      found: found.quotedForMessage)
  }

  /// Returns the records of an answer that has to be a list.
  func records<M: Model>(in answer: RESTResponse, of type: M.Type) throws -> [AttributeDictionary] {
    guard case .array(let elements)? = answer.payload else {
      let found = answer.payload?.typeDescription ?? "nothing"
      throw ModelDecodingError(path: answer.place, expected: "a list", found: found)
    }
    return try elements.enumerated().map { index, element in
      do {
        return try deserialized(element, of: type)
      } catch let error as ModelDecodingError {
        throw error.inside(answer.place.appending(FieldPath([.index(index)])))
      }
    }
  }

  /// Returns the identifier that a record gives to its model; nil if it has none.
  ///
  /// The record is first read into a separate model, which proves that it fits before live models change.
  ///
  /// - Throws: `ModelDecodingError` if the record does not fit.
  func identifier<M: Model>(in record: AttributeDictionary, of type: M.Type) throws -> String? {
    func identifier<Exact: Model>(_ exact: Exact.Type) throws -> String? {
      try exact.from(dictionaryValue: record, in: ModelScope(transformers: scope.transformers)).identifier
    }
    // The class may be derived from `M`, and have other fields.
    let exact: any Model.Type = type
    return try identifier(exact)
  }

  /// Waits for the creations of a type that are in progress, if records may belong to them. A server may list a new
  /// model before its answer brings the identifier. It may also replace or respell an identifier that was sent.
  ///
  /// - Throws: `ModelStoreError` with the code `cancelled`.
  func waitForCreations<M: Model>(of type: M.Type, in records: [AttributeDictionary]) async throws {
    guard scope.creations.areUnderWay(of: M.typeName) else { return }
    // A record that does not fit fails later, when models are made.
    let isUnknown = records.contains { record in
      (try? identifier(in: record, of: type)).map { scope.liveModel(type, identifier: $0) == nil } ?? false
    }
    if isUnknown { try await scope.creations.waitForCreations(of: M.typeName) }
  }

  /// Rejects an identifier for a new model that another live one has, since there is one object for an identifier. An
  /// unloaded reference may have it.
  ///
  /// - Parameter sent: the identifier with which the model was sent.
  /// - Throws: `ModelStoreError` with the code `server`.
  func checkIsFree<M: Model>(_ answered: String, for model: M, besides sent: String?) throws {
    guard answered != sent, let live = scope.liveModel(type(of: model), identifier: answered), live !== model,
      !live.isUnloadedReference
    else { return }
    throw ModelStoreError(
      .server,
      "it has the identifier \(answered.quotedForMessage) of another model, which was not changed: look that one up instead",
      identifier: answered)
  }

  // MARK: Errors

  /// Returns an error of reading a list with the index of the element it is about.
  func placed<M: Model>(_ error: any Error, in records: [AttributeDictionary], of type: M.Type) -> any Error {
    for (index, record) in records.enumerated() {
      do {
        _ = try M.from(dictionaryValue: record, in: ModelScope(transformers: scope.transformers))
      } catch let error as ModelDecodingError {
        return error.inside(FieldPath([.index(index)]))
      } catch {
        return error
      }
    }
    return error
  }

  /// Reports the final error of a save to the dialect, and returns it. Its messages by field are added to the model.
  func reported<M: Model>(_ error: any Error, on model: M) async -> any Error {
    await handle.reported(placed(error, on: model))
  }

  /// Adds the messages of a failed save to the fields of the model. Returns the error with the key paths of the fields,
  /// however the server spells them.
  private func placed<M: Model>(_ error: any Error, on model: M) -> any Error {
    guard var error = error as? ModelStoreError, [.invalid, .conflict].contains(error.code), !error.fields.isEmpty
    else { return error }
    var fields: [String: [String]] = [:]
    for (key, messages) in error.fields {
      let texts = JSONValue.array(messages.map { .string($0) })
      model.addErrors([key: texts], in: scope.transformers)
      // A separate model has the path as it is declared.
      let probe = scope.transformers.prepared(type(of: model).init())
      probe.addErrors([key: texts], in: scope.transformers)
      let declared = key.contains("[") ? key : probe.validationErrors.first?.path.description ?? key
      fields[declared, default: []] += messages
    }
    error.fields = fields
    return error
  }
}

extension RESTEngine {
  /// Explains and reports an error that occurred after the answer had been read.
  func reported(_ error: any Error, _ call: RESTCall) async -> any Error {
    await reported(explained(error, call, isAccepted: true))
  }

  /// Reports an error to the dialect, unless it is a cancellation, and returns it.
  func reported(_ error: any Error) async -> any Error {
    if let error = error as? ModelStoreError, error.code != .cancelled { await dialect.handleError(error) }
    return error
  }
}

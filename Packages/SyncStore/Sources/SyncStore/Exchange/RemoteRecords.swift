@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreProtocol

/// The calls to a remote store, with records as the local store spells them.
///
/// Models of the remote store are released after each call, so that none of them has values or edits of an earlier one.
struct RemoteRecords {
  let store: any ModelStore
  /// The spelling of local records.
  let local: ValueTransformerContext
  private let writer: RecordWriter

  init(_ store: any ModelStore, local: ValueTransformerContext) {
    self.store = store
    var local = local
    local.explicitNull = true
    self.local = local
    writer = ModelScope(transformers: local).recordWriter(explicitNull: true)
  }

  /// Whether the server supports idempotency keys, so that a repeated request takes effect once.
  var hasKeys: Bool { (store as? any IdempotentModelStore)?.supportsIdempotencyKeys ?? false }

  // MARK: Reading

  /// Returns the values of a model of the remote store.
  ///
  /// - Throws: `ModelStoreError` with the code `corrupt` for a value that can't be written, or a model without
  ///   identifier.
  func record(of model: ModelObject) throws -> RemoteRecord {
    guard let identifier = model.storedIdentifier else {
      throw ModelStoreError(
        .corrupt, "The server's \(model.storedTypeName) has no identifier, so it was not stored.")
    }
    do {
      local.prepare(model)
      // The answer may lack a field with an initial value.
      let fields = model.allSavedFields
      let content: RemoteRecord.Content =
        if let bytes = writer.bytes(of: fields, of: model) {
          .bytes(bytes)
        } else {
          .values(
            try model.storedValues(of: fields.fields(of: model), in: local)
              + model.storedUnknownValues(in: local, isUnsaved: false))
        }
      return RemoteRecord(identifier: identifier, content: content, model: model, context: local)
    } catch {
      throw ModelStoreError(
        .corrupt, "The server's \(model.storedTypeName) can't be stored: \(error)", identifier: identifier, cause: error
      )
    }
  }

  /// Reads a record.
  ///
  /// - Returns: nil if the server has none.
  /// - Throws: the errors of the store.
  func find<M: Model>(_ type: M.Type, _ identifier: String) async throws -> RemoteRecord? {
    guard let model = try await model(type, identifier) else { return nil }
    defer { release(model) }
    return try record(of: model)
  }

  /// Reads a model, which has the version of the record. It is to be released.
  ///
  /// - Returns: nil if the server has none.
  /// - Throws: the errors of the store.
  func model<M: Model>(_ type: M.Type, _ identifier: String) async throws -> M? {
    if let stale = store.scope.liveModel(type, identifier: identifier) { release(stale) }
    do {
      return try await store.lookup(type, identifier: identifier)
    } catch let error as ModelStoreError where error.code == .notFound {
      return nil
    }
  }

  /// Reads all records of a type, part by part where the store has pages.
  ///
  /// - Parameters:
  ///   - query: the query, without order and limit.
  ///   - limit: the number of records in a part.
  ///   - look: called with each model and its record, before the model is released.
  ///   - body: receives a part.
  /// - Throws: the errors of the store, and the errors of `body`.
  func list<M: Model>(
    _ query: ModelQuery<M>, atMost limit: Int, _ look: (M, inout RemoteRecord) throws -> Void = { _, _ in },
    _ body: ([RemoteRecord]) async throws -> Void
  ) async throws {
    func take(_ models: [M]) async throws { try await self.take(models, atMost: limit, look, body) }
    guard store is any PagedModelStore else { return try await take(try await store.list(query)) }
    var mark: ModelPageMark?
    repeat {
      let page = try await store.page(query, after: mark)
      try await take(page.models)
      mark = page.next
    } while mark != nil
  }

  /// Reads the records that changed since a time, part by part in the order of their changes.
  ///
  /// Each part begins at the time at which the previous one ended. A record that changes meanwhile moves to the end,
  /// which changes the positions of others. Some records are read twice, and a time that has more records than a page
  /// as well. A part begins later than the one before, so the reading ends where the server has no newer changes.
  ///
  /// - Parameters:
  ///   - reading: the field with the time of the last change.
  ///   - time: the time at which to begin.
  ///   - limit: the number of records in a part.
  ///   - look: called with each model and its record, before the model is released.
  ///   - body: receives a part.
  /// - Throws: the errors of the store and of `body`, or `ModelStoreError` with the code `unsupported` if the server
  ///   ignores the condition or the order.
  func listInOrder<M: Model>(
    _ reading: IncrementalReading<M>, since time: Date, atMost limit: Int,
    _ look: (M, inout RemoteRecord) throws -> Void, _ body: ([RemoteRecord]) async throws -> Void
  ) async throws {
    guard store is any PagedModelStore else {
      return try await list(reading.query(since: time), atMost: limit, look, body)
    }
    var query = reading.query(since: time)
    var (start, mark): (Date?, ModelPageMark?) = (nil, nil)
    // The records that were read by position, in this reading of their time and in the one before.
    var (part, known): (Set<ExactText>, Set<ExactText>) = ([], [])
    for _ in 0..<Self.maximumPages {
      let page = try await store.page(query, after: mark)
      let times = page.models.compactMap(reading.time)
      let identifiers = page.models.compactMap(\.identifier).map(ExactText.init)
      try await take(page.models, atMost: limit, look, body)
      try Self.check(times, from: start, M.typeName)
      let last = times.last
      // A server may know times less exactly than it reports them, and begin a little earlier.
      let isBehind = last.map { last in start.map { last <= $0 } ?? false } ?? true
      if mark != nil || page.next != nil && isBehind { part.formUnion(identifiers) }
      // If all records of the page have one time, only their positions lead on.
      if let next = page.next, isBehind {
        mark = next
        continue
      }
      // A record that moves meanwhile hides another one, so they are read again until no new one is found.
      if !part.isSubset(of: known) {
        (known, part, mark) = (known.union(part), [], nil)
        continue
      }
      guard page.next != nil, let last else { return }
      query = reading.query(from: last)
      (start, mark, part, known) = (last, nil, [], [])
    }
    throw Self.endless("The list of changes of \(M.typeName)")
  }

  /// The largest number of pages of changes that one exchange reads of a type.
  static let maximumPages = 10_000

  /// Returns the error for pages of changes that do not end.
  static func endless(_ pages: String) -> ModelStoreError {
    ModelStoreError(
      .server,
      "\(pages) has more than \(maximumPages) pages, so the pull was ended. The changes so far are kept: synchronise again."
    )
  }

  /// Checks that records are those that changed since a time, in order.
  ///
  /// - Parameters:
  ///   - times: the times of the records.
  ///   - start: the time of a record, at which the records were requested to begin; nil for any other time.
  private static func check(_ times: [Date], from start: Date?, _ type: String) throws {
    let isOrdered = zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
    // Databases may compare whole seconds.
    let isLater = times.first.flatMap { first in start.map { first >= $0.addingTimeInterval(-1) } } ?? true
    if isOrdered, isLater { return }
    throw ModelStoreError(
      .unsupported,
      "The server ignores the \(isOrdered ? "condition on" : "order by") the time of the last change, in a list of \(type)."
    )
  }

  /// Reads the changes since a position from the change log of the server.
  ///
  /// - Parameters:
  ///   - type: the class of the records.
  ///   - position: the position; nil for the current one.
  ///   - remove: receives the identifiers of the deleted records, before the changed ones. A unique value may have
  ///     moved to a changed record.
  ///   - look: called with each changed model and its record, before the model is released.
  ///   - body: receives the changed records.
  /// - Returns: the page without its models; nil if the server has no change log.
  /// - Throws: the errors of the store, and the errors of `body`.
  func changes<M: Model>(
    _ type: M.Type, after position: String?, removing remove: ([String]) async throws -> Void,
    _ look: (M, inout RemoteRecord) throws -> Void, _ body: ([RemoteRecord]) async throws -> Void
  ) async throws -> ModelChangePage<M>? {
    guard let log = store as? any ChangeLogModelStore, log.hasChangeLog else { return nil }
    var page = try await log.changePage(of: type, after: position)
    try await remove(page.deleted)
    try await take(page.updated, atMost: 500, look, body)
    page.updated = []
    return page
  }

  private func take<M: Model>(
    _ models: [M], atMost limit: Int, _ look: (M, inout RemoteRecord) throws -> Void,
    _ body: ([RemoteRecord]) async throws -> Void
  ) async throws {
    var rest = models[...]
    while !rest.isEmpty {
      try await body(
        rest.prefix(limit).map { model in
          var record = try record(of: model)
          try look(model, &record)
          return record
        })
      rest = rest.dropFirst(limit)
    }
    for model in models { release(model) }
  }

  /// Ends the use of a model.
  func release(_ model: ModelObject) { store.scope.remove(model) }

  // MARK: Writing

  /// Sends a request, and returns the record of the answer; nil after a deletion.
  ///
  /// - Parameters:
  ///   - type: the class of the model.
  ///   - identifier: the identifier of the record.
  ///   - isTemporary: whether the server assigns the identifier.
  ///   - flight: the request.
  ///   - version: the model with the version of the record that the request is about; nil for a creation. A store with
  ///     validators rejects the request if the record was changed since.
  /// - Throws: the errors of the store.
  func send<M: Model>(
    _ type: M.Type, _ identifier: String, isTemporary: Bool, _ flight: OutboxEntry.Flight, over version: M?
  ) async throws -> RemoteRecord? {
    guard let record = flight.record else {
      guard let model = version else { return nil }
      try await ModelHook.withoutHooks { _ = try await store.delete(model) }
      return nil
    }
    // A record that was created again lacks values of the deleted one. A missing value would not be sent.
    let complete = record.merging(flight.body.filter { $0.value.isNull }) { known, _ in known }
    let (staged, values) = try staged(type, complete, flight.isCreation ? nil : Set(flight.body.keys), isTemporary)
    if flight.isCreation {
      if let stale = store.scope.liveModel(type, identifier: identifier) { release(stale) }
      let model = try made(staged, values)
      defer { release(model) }
      try await ModelHook.withoutHooks {
        _ = try await IdempotencyKey.with(flight.key) { try await store.create(model) }
      }
      return try self.record(of: model)
    }
    guard let model = version else { throw ModelStoreError.notFound(M.typeName, identifier: identifier) }
    try model.read(values.record, as: .edit)
    let fields = values.fields.compactMap { field in
      model.field(like: field) ?? field.key.flatMap { model.field(declaredAs: $0) }
    }
    // Values of unknown keys are written with all changes only. The model has no others.
    let chosen = model.hasUnsavedRemainder ? nil : fields
    try await ModelHook.withoutHooks { _ = try await store.update(model, fields: chosen) }
    return try self.record(of: model)
  }

  /// Returns a model of the class of a staged one, with its values.
  private func made<M: Model>(
    _ staged: M, _ values: (record: AttributeDictionary, fields: [AnyField])
  ) throws -> M {
    func make<Exact: Model>(_ exact: Exact.Type) throws -> ModelObject {
      try exact.from(dictionaryValue: values.record, in: store.scope, as: .edit)
    }
    let exact: any Model.Type = Swift.type(of: staged)
    guard let model = try make(exact) as? M else {
      throw ModelStoreError(.invalid, "A \(M.displayName) was not sent: its record is of another class.")
    }
    return model
  }

  /// Reads a local record into a model of its own, and writes its values as the remote store spells them.
  ///
  /// - Parameters:
  ///   - keys: the topmost keys of the values to write; nil for all.
  ///   - isTemporary: whether the identifier is left out.
  private func staged<M: Model>(
    _ type: M.Type, _ record: AttributeDictionary, _ keys: Set<String>?, _ isTemporary: Bool
  ) throws -> (model: M, values: (record: AttributeDictionary, fields: [AnyField])) {
    let scope = ModelScope(transformers: local)
    let model = try scope.models(type, from: [record], localChanges: .overwrite)[0]
    let fields = model.storableFields.filter { field in
      guard let key = field.key else { return false }
      if isTemporary, field === model.identifierField { return false }
      guard let keys else { return true }
      return keys.contains(String(local.key(key).prefix { $0 != "." }))
    }
    var context = store.scope.transformers
    context.explicitNull = true
    var values: AttributeDictionary = [:]
    let unknown = model.storedUnknownValues(in: context, isUnsaved: false)
      .filter { keys?.contains($0.path[0]) ?? true }
    for value in try model.storedValues(of: fields, in: context) + unknown { value.write(to: &values) }
    return (model, (values, fields))
  }
}

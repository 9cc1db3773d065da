@_spi(ModelKitInternals) import ModelCore

/// One consumer of a live query: computes the next result from its mailbox, in the isolation of the models.
final class LiveObservation<M: Model> {
  let store: any LiveModelStore
  let query: ModelQuery<M>
  let work: LiveTaskTracker
  private let capacity: Int
  let typeName = M.typeName
  let fields: LiveFields
  let instances: LiveInstances<M>
  /// Whether records can be tested one by one.
  let isIncremental: Bool
  /// The names of the types whose records are searched for references to a model. A write to one of them may affect any
  /// model, so the query is listed again.
  let joinedTypes: Set<String>
  /// Whether records of the same type are read as related ones, too.
  let relatesToOwnType: Bool
  /// Whether records name their class.
  let choosesClasses = M.hierarchyChoosesClasses
  var subscription: FeedSubscription?
  private var isOver = false
  /// Whether the table is outdated, so that the query has to be listed again.
  var mustList = false
  var program: QueryProgram<M>?
  /// The program for the records of changes, where the store can't read single records; nil if the query reads other
  /// records, too.
  private(set) var recordProgram: QueryProgram<M>?
  var table: LiveTable<M>?
  var relations = LiveRelations()
  /// The last commit that the table contains, or the number of the last change that a list may lack.
  private(set) var position: UInt64 = 0
  /// The shown models, and their positions in the table.
  var models: [M] = []
  var shown: [Int] = []
  /// The rows that enter the result with the current changes.
  var fetched: Set<Int> = []
  var sorter: QuerySorter?
  private var error: ModelStoreError?
  private let included: [(RelationPath<M>) -> any IncludedRelation]
  /// The related models that are loaded with each result; nil if there are none.
  var inclusion: LiveInclusion<M>?
  /// Whether the query was listed for the current result.
  var wasListed = false
  /// The number of models that had been unloaded when none of the shown ones was.
  var unloadCount = 0

  init(
    _ store: any LiveModelStore, _ query: ModelQuery<M>,
    including included: [(RelationPath<M>) -> any IncludedRelation] = [], _ work: LiveTaskTracker, capacity: Int
  ) {
    self.capacity = capacity
    self.included = included
    self.store = store
    self.query = query
    self.work = work
    instances = LiveInstances(store)
    fields = LiveFields(query, in: store.scope.transformers)
    // An invalid query is reported at the beginning.
    let program = try? QueryProgram(query, in: store.scope.transformers, canJoin: true)
    joinedTypes = Set(program?.joinedClasses.map(\.typeName) ?? [])
    isIncremental = store.canReadRecords && joinedTypes.isEmpty
    relatesToOwnType = fields.related[M.typeName] != nil
  }

  // MARK: The next result

  /// Returns the next result, of committed records: one of a transaction in which the observation began could fail with
  /// it.
  func next(isolation actor: isolated (any Actor)?) async -> LiveResult<M>? {
    await TransactionMark.outside(in: actor) { await committedResult(isolation: actor) }
  }

  private func committedResult(isolation actor: isolated (any Actor)?) async -> LiveResult<M>? {
    if isOver { return nil }
    if subscription == nil {
      do {
        try begin()
      } catch {
        // An invalid query never will.
        isOver = true
        return LiveResult(models: [], differences: ModelDifferences(), error: Self.storeError(error))
      }
      if let first = await requery(), let result = await including(first, FeedMailbox.Mail()) { return result }
      // Cancelled before the first result.
      end()
      return nil
    }
    while !Task.isCancelled, let subscription {
      subscription.feed.deliver()
      let mail = subscription.mailbox.take()
      if mail.isEmpty {
        if mail.isEnded { break }
        await subscription.mailbox.wait(isolation: actor)
      } else if let result = await result(of: mail) {
        return result
      }
    }
    end()
    return nil
  }

  /// Returns the next result if there is one at once.
  func nextIfReady() async -> LiveResult<M>? {
    guard let subscription else { return await next(isolation: #isolation) }
    return await TransactionMark.outside {
      while true {
        subscription.feed.deliver()
        let mail = subscription.mailbox.take()
        if mail.isEmpty { return nil }
        if let result = await result(of: mail) { return result }
      }
    }
  }

  private func begin() throws {
    store.beginUse(of: M.self)
    let program = try QueryProgram(query, in: store.scope.transformers, isForRecords: isIncremental)
    self.program = program
    if !included.isEmpty {
      inclusion = try LiveInclusion(included.map { $0(RelationPath()).path }, store, query.evaluation)
    }
    if !isIncremental, joinedTypes.isEmpty, fields.related.isEmpty, !fields.readsLists {
      recordProgram = try? QueryProgram(query, in: store.scope.transformers)
    }
    var own = FeedInterest(typeName: typeName)
    if isIncremental, !showsAll {
      // Any key of a record may determine its class.
      if !choosesClasses {
        own.keys = fields.own.union(fields.related[typeName] ?? [])
        own.hasMembers = true
      }
      if !relatesToOwnType { own.guarding = RelevanceFilter.make(program, in: store.scope.transformers) }
    }
    var interests = [own]
    for (name, keys) in fields.related where name != typeName {
      interests.append(FeedInterest(typeName: name, keys: isIncremental ? keys : nil))
    }
    for name in joinedTypes where name != typeName && fields.related[name] == nil {
      interests.append(FeedInterest(typeName: name))
    }
    for name in inclusion?.typeNames.sorted() ?? [] { interests.append(FeedInterest(typeName: name)) }
    let mailbox = FeedMailbox(capacity: capacity, overflow: .collapse)
    subscription = store.changeFeed.subscribe(mailbox, interests)
  }

  /// Whether every model of the type is shown, so that every change is relevant.
  private var showsAll: Bool { query.filter == nil && query.limit == nil && query.offset == 0 }

  private func end() {
    isOver = true
    subscription?.end()
    subscription = nil
    table = nil
    inclusion = nil
    relations.removeAll()
  }

  /// Returns the result without related models; nil if it is the same as before.
  func queryResult(of mail: FeedMailbox.Mail) async -> LiveResult<M>? {
    if mail.isEmpty, !mustList, !hasUnloadedModels() { return nil }
    work.changes += mail.batches.reduce(0) { $0 + $1.count }
    if !isIncremental, !mustList, !mail.hasGap, !hasUnloadedModels(),
      let differences = takeRecords(of: mail.batches.joined())
    {
      return differences.isEmpty ? nil : LiveResult(models: models, differences: differences, error: nil)
    }
    guard isIncremental, !mustList, !mail.hasGap, let table else {
      let written = mail.batches.joined().lazy.map(\.change).filter { $0.typeName == self.typeName }
      let hadError = error != nil
      let result = await requery(
        written: mail.hasGap || isIncremental ? nil : Set(written.map { ExactText($0.identifier) }))
      // Most writes to a type that references the models make no difference.
      let isNews = joinedTypes.isEmpty || hadError || result?.error != nil || result?.differences.isEmpty == false
      return isNews ? result : nil
    }
    do {
      guard let differences = try await take(mail.batches.joined(), into: table) else { return nil }
      error = nil
      return LiveResult(models: models, differences: differences, error: nil)
    } catch {
      return failed(error)
    }
  }

  /// Reports an error. The next change lists the query again.
  func failed(_ error: any Error) -> LiveResult<M>? {
    mustList = true
    if let subscription { store.changeFeed.setLoading(subscription.id, typeName, true) }
    // Only the cancellation of this task ends the sequence. An engine may cancel work of its own.
    if Task.isCancelled { return nil }
    let found = Self.storeError(error)
    self.error = found
    return LiveResult(models: models, differences: ModelDifferences(), error: found)
  }

  static func storeError(_ error: any Error) -> ModelStoreError {
    error as? ModelStoreError
      ?? ModelStoreError(.server, "The result of a live query could not be updated: \(error)", cause: error)
  }

  // MARK: Listing

  /// Lists the query again.
  ///
  /// - Parameter written: the models that were written since the last result; nil if they are unknown.
  private func requery(written: Set<ExactText>? = nil) async -> LiveResult<M>? {
    work.listings += 1
    wasListed = true
    let old = models
    let unloadCount = store.scope.unloadCount
    let unloaded = Set(hasUnloadedModels() ? models.filter(\.isUnloadedReference).map { ObjectIdentifier($0) } : [])
    do {
      if isIncremental {
        try await fill()
      } else {
        models = try await included.isEmpty ? store.list(query) : store.list(query, including: included)
        position = store.changeFeed.position
      }
    } catch {
      return failed(error)
    }
    mustList = false
    error = nil
    self.unloadCount = unloadCount
    var differences = ModelDifferences(from: old, to: models)
    let staying = Set(old.map { ObjectIdentifier($0) })
    for (index, model) in models.enumerated() where staying.contains(ObjectIdentifier(model)) {
      if let written, let identifier = model.identifier, !written.contains(ExactText(identifier)),
        !unloaded.contains(ObjectIdentifier(model))
      {
        continue
      }
      differences.updated.append(ModelDifferences.Change(model: model, index: index))
    }
    return LiveResult(models: models, differences: differences, error: nil)
  }

  /// Fills the table with the stored records.
  private func fill() async throws {
    guard let program, let subscription else { return }
    let feed = store.changeFeed
    let reads = store.scope.pendingReads
    let readStart = reads.begin()
    defer { reads.end() }
    feed.setLoading(subscription.id, typeName, true)
    // The records below contain all writes up to now.
    feed.deliver()
    _ = subscription.mailbox.take()
    let start = feed.position
    relations.removeAll()
    fetched = []
    let sorter = program.isSorted ? try program.sorter() : nil
    let table = LiveTable<M>(sorter: sorter)
    // Models that are not shown are released at the end.
    var found: [[UInt8]] = []
    let plain = QueryRelatedRecords(nil)
    let read = try await store.readRecords(of: typeName) { records in
      for record in records {
        work.evaluations += 1
        do {
          if fields.related.isEmpty {
            let fits = try record.bytes.withUnsafeBytes { bytes in
              guard try program.matches(bytes, plain) else { return false }
              if let sorter { try program.add(bytes, to: sorter, plain) }
              return true
            }
            if !fits { continue }
          } else if try await !evaluate(record.identifier, record.bytes, program, sorter) {
            continue
          }
        } catch let error as ModelStoreError where error.code == .corrupt {
          try await store.skip(error, typeName, record.identifier)
          continue
        }
        table.append(record.identifier, record.order)
        found.append(record.bytes)
      }
    }
    table.sort()
    try await store.scope.creations.waitForCreations(of: typeName)
    var (identifiers, made): ([String], [M?])
    repeat {
      shown = table.places(query.window(of: table.count))
      identifiers = shown.map { table.identifiers[$0] }
      made = try await models(of: shown.map { found[$0] }, at: shown, table, readSince: readStart)
    } while made.contains { $0 == nil }
    models = made.compactMap(\.self)
    for (place, model) in zip(shown, models) { table.show(model, at: place, readAt: read ?? start) }
    // From now on changes of other records can be omitted.
    if let old = self.table {
      feed.changeMembers(subscription.id, typeName, adding: [], removing: old.shownIdentifiers)
    }
    if !showsAll { feed.changeMembers(subscription.id, typeName, adding: identifiers, removing: []) }
    feed.setLoading(subscription.id, typeName, false)
    self.table = table
    self.sorter = sorter
    position = read ?? 0
  }

  /// Returns whether the query matches a record, and adds its keys to the sorter if it does. Reads related records on
  /// demand.
  func evaluate(
    _ identifier: String, _ bytes: [UInt8], _ program: QueryProgram<M>, _ sorter: QuerySorter?
  ) async throws -> Bool {
    var used: [RelatedKey] = []
    while true {
      used.removeAll(keepingCapacity: true)
      let surroundings = QueryRelatedRecords { [self] modelClass, related in
        let key = RelatedKey(modelClass.typeName, related)
        used.append(key)
        guard let known = relations.records[key] else {
          throw MissingRelatedRecord(typeName: key.typeName, identifier: related)
        }
        return known
      }
      do {
        let fits = try bytes.withUnsafeBytes { bytes in
          guard try program.matches(bytes, surroundings) else { return false }
          if let sorter { try program.add(bytes, to: sorter, surroundings) }
          return true
        }
        if !fields.related.isEmpty { relations.setDependencies(of: identifier, used) }
        return fits
      } catch let missing as MissingRelatedRecord {
        work.lookups += 1
        let record = try await store.readRecord(of: missing.typeName, identifier: missing.identifier)
        relations.set(
          try record.flatMap { try JSONValue(json: $0.bytes).objectValue },
          at: RelatedKey(missing.typeName, missing.identifier))
      }
    }
  }

  /// Returns the models of records that were read before. Records of live models that were updated since are read
  /// again.
  ///
  /// - Returns: a model for each row, or nil for a record that was deleted, or skipped because it can't be read. It was
  ///   removed from the table.
  func models(
    of records: [[UInt8]], at places: [Int], _ table: LiveTable<M>, readSince start: PendingReads.Moment
  ) async throws -> [M?] {
    let reads = store.scope.pendingReads
    var answer = reads.answer(since: start)
    let identifiers = places.map { table.identifiers[$0] }
    let current = try await store.currentRecords(
      M.self, zip(identifiers, records).map { (identifier: $0, bytes: $1) }, readSince: start,
      answeredAt: &answer
    ) { try await store.readRecord(of: typeName, identifier: $0)?.bytes }
    var models: [M?] = zip(identifiers, current).map { identifier, bytes in
      // Its deletion by another store instance is in the feed.
      bytes == nil ? store.scope.liveModel(M.self, identifier: identifier) : nil
    }
    for (number, bytes) in current.enumerated() where bytes == nil && models[number] == nil {
      table.remove(places[number])
    }
    let numbers = current.indices.filter { current[$0] != nil }
    if numbers.isEmpty { return models }
    let made = try store.readableModels(M.self, fromBytes: numbers.compactMap { current[$0] }) {
      identifiers[numbers[$0]]
    }
    for (number, model) in zip(numbers, made.models) { models[number] = model }
    reads.noteRead(of: made.models.lazy.compactMap(\.self), at: answer)
    for (number, error) in made.unreadable {
      let place = places[numbers[number]]
      try await store.skip(error, typeName, table.identifiers[place])
      table.remove(place)
    }
    return models
  }

  // MARK: For the other parts of the observation

  /// Returns whether shown models were unloaded since they were read. A read of the next result loads them again.
  ///
  /// - Complexity: O(1) if no model of the scope was unloaded since the last call.
  func hasUnloadedModels() -> Bool {
    if store.scope.unloadCount == unloadCount { return false }
    if models.contains(where: \.isUnloadedReference) { return true }
    unloadCount = store.scope.unloadCount
    return false
  }

  /// Returns whether a change is older than the list.
  func isKnown(_ routed: RoutedChange) -> Bool { routed.position <= position }

  func changeMembers(adding: [String], removing: [String]) {
    guard let subscription, !showsAll else { return }
    store.changeFeed.changeMembers(subscription.id, typeName, adding: adding, removing: removing)
  }
}

extension LiveTable {
  /// The identifiers of the shown models.
  var shownIdentifiers: [String] { models.indices.lazy.filter { self.models[$0] != nil }.map { self.identifiers[$0] } }
}

extension ModelQuery {
  /// Returns the positions among all matches that the offset and limit of the query select.
  func window(of count: Int) -> Range<Int> {
    let start = min(offset, count)
    return start..<max(start, min(end, count))
  }
}

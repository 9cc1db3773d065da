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
  var position: UInt64 = 0
  /// The shown models, and their positions in the table.
  var models: [M] = []
  var shown: [Int] = []
  /// The rows that enter the result with the current changes.
  var fetched: Set<Int> = []
  var sorter: QuerySorter?
  var error: ModelStoreError?
  let included: [(RelationPath<M>) -> any IncludedRelation]
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
  var showsAll: Bool { query.filter == nil && query.limit == nil && query.offset == 0 }

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

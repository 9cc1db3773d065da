@_spi(ModelKitInternals) import ModelCore

/// One consumer of a live value: computes it again after a change that can affect it, in the isolation of the store.
final class LiveComputation<M: Model, Value> {
  private let store: any LiveModelStore
  private let query: ModelQuery<M>
  private let columns: [QueryPath]
  private let compute: () async throws -> Value
  private let areEqual: (Value, Value) -> Bool
  private let work: LiveTaskTracker
  private var subscription: FeedSubscription?
  /// The last result; nil before the first, and after an error.
  private var last: Value?
  private var isOver = false

  /// - Parameters:
  ///   - columns: the columns that the value reads.
  ///   - compute: computes the value from the stored records.
  ///   - areEqual: returns whether two values are equal.
  init(
    _ store: any LiveModelStore, _ query: ModelQuery<M>, _ columns: [QueryPath], _ work: LiveTaskTracker,
    compute: @escaping () async throws -> Value, areEqual: @escaping (Value, Value) -> Bool
  ) {
    self.store = store
    self.query = query
    self.columns = columns
    self.work = work
    self.compute = compute
    self.areEqual = areEqual
  }

  func next(isolation actor: isolated (any Actor)?) async -> Result<Value, ModelStoreError>? {
    while !isOver, !Task.isCancelled {
      if subscription == nil {
        do {
          try begin()
        } catch {
          // An invalid query never will have a value.
          isOver = true
          return .failure(LiveObservation<M>.storeError(error))
        }
        if let result = await newValue() { return result }
      } else if let result = await nextIfReady() {
        return result
      } else if let mailbox = subscription?.mailbox {
        await mailbox.wait(isolation: actor)
        if mailbox.isAtEnd { break }
      }
    }
    isOver = true
    subscription = nil
    return nil
  }

  /// The next value if there is one at once.
  func nextIfReady() async -> Result<Value, ModelStoreError>? {
    guard let subscription else { return await next(isolation: #isolation) }
    subscription.feed.deliver()
    if subscription.mailbox.take().isEmpty { return nil }
    return await newValue()
  }

  private func begin() throws {
    store.beginUse(of: M.self)
    let context = store.scope.transformers
    let fields = LiveFields(query, columns: columns, in: context)
    let program = try QueryProgram(query, in: context, canJoin: true)
    // Only that there was a change matters.
    let mailbox = FeedMailbox(capacity: 0, overflow: .collapse)
    subscription = store.changeFeed.subscribe(
      mailbox, fields.interests(of: program, in: context, readsRecords: store.canReadRecords))
  }

  /// Computes the value again, from committed records; nil if it is the same, or the task was cancelled.
  private func newValue() async -> Result<Value, ModelStoreError>? {
    work.listings += 1
    do {
      let value = try await TransactionMark.outside(compute)
      if let last, areEqual(last, value) { return nil }
      last = value
      return .success(value)
    } catch {
      if Task.isCancelled { return nil }
      last = nil
      return .failure(LiveObservation<M>.storeError(error))
    }
  }
}

extension LiveFields {
  /// Returns the interests in the changes that can affect a value.
  ///
  /// - Parameter readsRecords: whether changes have whole records.
  fileprivate func interests<M: Model>(
    of program: QueryProgram<M>, in context: ValueTransformerContext, readsRecords: Bool
  ) -> [FeedInterest] {
    let joined = Set(program.joinedClasses.map(\.typeName))
    var own = FeedInterest(typeName: M.typeName)
    if readsRecords, !joined.contains(M.typeName) {
      // Any key of a record may determine its class.
      if !M.hierarchyChoosesClasses { own.keys = self.own.union(related[M.typeName] ?? []) }
      if related[M.typeName] == nil { own.guarding = RelevanceFilter.make(program, in: context) }
    }
    var interests = [own]
    for (name, keys) in related where name != M.typeName {
      interests.append(FeedInterest(typeName: name, keys: readsRecords && !joined.contains(name) ? keys : nil))
    }
    for name in joined where name != M.typeName && related[name] == nil {
      interests.append(FeedInterest(typeName: name))
    }
    return interests
  }
}

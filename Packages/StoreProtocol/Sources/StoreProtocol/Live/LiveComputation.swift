@_spi(ModelKitInternals) import ModelCore

/// One consumer of a live value, in the isolation of the store. The value follows the differences of commits where
/// these determine it; otherwise it is computed again after a change that can affect it.
final class LiveComputation<M: Model, Value> {
  private let store: any LiveModelStore
  private let query: ModelQuery<M>
  private let columns: [QueryPath]
  private let compute: () async throws -> Value
  private let parts: LiveGroups<M>.Parts
  private let value: ([Groups.Group]) throws -> Value
  /// The groups as of the last result; nil before the second one, and if the value has to be computed again.
  private var groups: LiveGroups<M>? {
    didSet { subscription?.mailbox.setCapacity(groups == nil ? 0 : Self.maximumChangeCount) }
  }
  private var followsDifferences = true
  /// The number of waiting changes above which the value is computed again.
  private static var maximumChangeCount: Int { 1_000 }
  /// Whether the last computation threw an error. Then the next one is no reading of groups.
  private var isReported = false
  private let areEqual: (Value, Value) -> Bool
  private let work: LiveTaskTracker
  private var subscription: FeedSubscription?
  /// The last result; nil before the first, and after an error.
  private var last: Value?
  private var isOver = false

  /// - Parameters:
  ///   - parts: the columns that the value reads, and the states that it is calculated from.
  ///   - value: returns the value of groups.
  ///   - compute: computes the value from the stored records.
  ///   - areEqual: returns whether two values are equal.
  init(
    _ store: any LiveModelStore, _ query: ModelQuery<M>, _ parts: LiveGroups<M>.Parts, _ work: LiveTaskTracker,
    value: @escaping ([Groups.Group]) throws -> Value, compute: @escaping () async throws -> Value,
    areEqual: @escaping (Value, Value) -> Bool
  ) {
    self.store = store
    self.query = query
    self.parts = parts
    self.value = value
    columns = parts.paths
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
        if let result = await newValue(after: nil) { return result }
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

  /// Returns the next value if there is one at once.
  private func nextIfReady() async -> Result<Value, ModelStoreError>? {
    guard let subscription else { return nil }
    subscription.feed.deliver()
    let mail = subscription.mailbox.take()
    if mail.isEmpty { return nil }
    return await newValue(after: mail)
  }

  private func begin() throws {
    store.beginUse(of: M.self)
    let context = store.scope.transformers
    let fields = LiveFields(query, columns: columns, in: context)
    let program = try QueryProgram(query, in: context, canJoin: true)
    // Without groups, only that there was a change matters, so no record waits.
    let mailbox = FeedMailbox(capacity: 0, overflow: .collapse)
    subscription = store.changeFeed.subscribe(
      mailbox, fields.interests(of: program, in: context, readsRecords: store.canReadRecords))
  }

  /// Returns the value of the committed records; nil if it is the same, or the task was cancelled.
  ///
  /// - Parameter mail: the changes since the last value; nil at the beginning.
  private func newValue(after mail: FeedMailbox.Mail?) async -> Result<Value, ModelStoreError>? {
    do {
      let value = try await TransactionMark.outside {
        if let value = try await followed(mail) { return value }
        return try await computed()
      }
      if let last, areEqual(last, value) { return nil }
      last = value
      return .success(value)
    } catch {
      if Task.isCancelled { return nil }
      last = nil
      if groups == nil { isReported = true }
      return .failure(LiveObservation<M>.storeError(error))
    }
  }

  private func computed() async throws -> Value {
    work.listings += 1
    return try await compute()
  }

  /// Returns the value after changes; nil if these don't determine it.
  private func followed(_ mail: FeedMailbox.Mail?) async throws -> Value? {
    guard let mail, followsDifferences else { return nil }
    let current: LiveGroups<M>?
    do {
      current = try await groups(after: mail)
    } catch {
      try Task.checkCancellation()
      // The computation reports a record that can't be read, or skips it, as the store does everywhere.
      groups = nil
      isReported = true
      return nil
    }
    // A sum that does not fit its type may fit it after the next change.
    return try current.map { try value($0.sorted) }
  }

  /// Returns the groups after changes; nil if these don't determine them.
  private func groups(after mail: FeedMailbox.Mail) async throws -> LiveGroups<M>? {
    if let groups, !mail.hasGap {
      work.changes += mail.batches.reduce(0) { $0 + $1.count }
      if try await groups.apply(mail.batches.joined()) { return groups }
    }
    // The computation reports errors of the query, and of records, before they are read here.
    if isReported {
      isReported = false
      return nil
    }
    guard let read = try groups ?? LiveGroups(store, query, parts) else {
      followsDifferences = false
      return nil
    }
    work.listings += 1
    // The groups are completed by the changes that are committed meanwhile.
    subscription?.mailbox.setCapacity(Self.maximumChangeCount)
    groups = try await read.readAll() ? read : nil
    // A store that does not know which commits a read contains will not know it later.
    if groups == nil { followsDifferences = false }
    return groups
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

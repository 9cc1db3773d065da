@_spi(ModelKitInternals) import ModelCore

extension LiveModelStore {
  /// Returns the writes to models of a type, by any store instance, in the order of their commits.
  ///
  /// ```swift
  /// for await batch in store.changes(of: Person.self) {
  ///   for change in batch { print(change.kind, change.identifier, change.fields) }
  /// }
  /// ```
  ///
  /// The observation begins with this call. Each commit is one batch with the changes of this type. Before a batch is
  /// delivered, the live models of this store instance are updated, except for their local changes. So models of the
  /// type follow the writes of others as long as the sequence is consumed.
  ///
  /// Writers never wait for a slow consumer. If more than `buffer` changes wait, newer ones are dropped until the
  /// consumer has taken those. The next batch then has a true `hasGap`, and live models are read again.
  ///
  /// The sequence ends when the task is cancelled, or the store is closed. Releasing it ends the observation.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - buffer: the largest number of waiting changes, not counting those of the first waiting batch.
  public func changes<M: Model>(of type: M.Type, buffer: Int = 10_000) -> StoreChanges<M> {
    StoreChanges(source: source(of: type, buffer))
  }

  /// Returns the writes to models of a type that may be known only at run time, as with a class.
  public func changes<M: Model>(of type: ModelType<M>, buffer: Int = 10_000) -> StoreChanges<M> {
    let exact: any Model.Type = type.exactClass
    return StoreChanges(source: source(of: exact, buffer))
  }

  private func source<Exact: Model>(of type: Exact.Type, _ buffer: Int) -> any ChangesSource {
    let mailbox = FeedMailbox(capacity: buffer, overflow: .drop)
    return ModelChangesSource<Exact>(
      self, changeFeed.subscribe(mailbox, [FeedInterest(typeName: Exact.typeName)]))
  }
}

/// The changes of `changes(of:)` of a ``LiveModelStore``. The sequence belongs to the isolation of its store.
public struct StoreChanges<M: Model>: AsyncSequence {
  /// The changes of one commit.
  public typealias Element = ModelChangeBatch<M>
  /// The sequence never throws.
  public typealias Failure = Never

  fileprivate let source: any ChangesSource

  /// Starts an iteration. Iterators of one sequence share its batches.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }

  /// The iterator of a `for await` loop.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let source: any ChangesSource

    /// Returns the next batch; nil once the task was cancelled or the store is closed.
    public mutating func next() async -> ModelChangeBatch<M>? { await next(isolation: #isolation) }

    /// Returns the next batch; nil once the task was cancelled or the store is closed.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> ModelChangeBatch<M>? {
      // Live models follow committed records, even if the task began in a transaction.
      await TransactionMark.outside(in: actor) { await source.next(isolation: actor) }.map {
        ModelChangeBatch(changes: $0.changes, hasGap: $0.hasGap, droppedCount: $0.dropped)
      }
    }
  }
}

/// The changes of one commit, for models of any class.
private struct CommittedChanges {
  var changes: [ModelChange] = []
  var hasGap = false
  var dropped = 0
}

private protocol ChangesSource: AnyObject {
  func next(isolation actor: isolated (any Actor)?) async -> CommittedChanges?
}

/// The source of the batches, which reads a mailbox.
private final class ModelChangesSource<M: Model>: ChangesSource {
  private let store: any LiveModelStore
  private let subscription: FeedSubscription
  private var ready: ArraySlice<CommittedChanges> = []
  /// The changes that live models have, and that were not delivered.
  private var later: FeedMailbox.Mail?
  private let instances: LiveInstances<M>

  init(_ store: any LiveModelStore, _ subscription: FeedSubscription) {
    self.store = store
    self.subscription = subscription
    instances = LiveInstances(store)
  }

  func next(isolation actor: isolated (any Actor)?) async -> CommittedChanges? {
    while !Task.isCancelled {
      if let batch = ready.popFirst() { return batch }
      let mail = takeMail()
      if mail.isEmpty {
        if mail.isEnded { return nil }
        await subscription.mailbox.wait(isolation: actor)
        continue
      }
      // A record that this instance creates has its model by then. Later commits are followed with these changes, or
      // models would become older. They are delivered with the next ones, since their own creations may be in progress.
      if (try? await store.scope.creations.waitForCreations(of: M.typeName)) == true { later = takeMail() }
      // A model that can't be read is unchanged: its lookup reports the error.
      _ = try? instances.follow((mail.batches + (later?.batches ?? [])).joined())
      ready =
        mail.batches.map { batch in
          CommittedChanges(changes: batch.compactMap(instances.change))
        }.filter { !$0.changes.isEmpty }[...]
      if mail.hasGap {
        try? await instances.readAnew()
        ready.append(CommittedChanges(hasGap: true, dropped: mail.dropped))
      }
    }
    subscription.end()
    return nil
  }

  /// Returns the changes that were followed but not delivered, or those that wait.
  private func takeMail() -> FeedMailbox.Mail {
    if let mail = later.take(), !mail.isEmpty { return mail }
    // Delivers commits whose writer has not delivered them yet.
    subscription.feed.deliver()
    return subscription.mailbox.take()
  }
}

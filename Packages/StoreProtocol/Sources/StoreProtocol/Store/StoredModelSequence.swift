@_spi(ModelKitInternals) import ModelCore

/// The models that a query finds, one after the other, without having all of them in memory.
///
/// ```swift
/// for try await person in store.stream(Person.self, where: { $0.age > 30 }) { print(person.name.value ?? "?") }
/// ```
///
/// The identifiers of the models are read at the beginning, and each model when its turn comes. A model that is
/// deleted meanwhile is left out, one that is created meanwhile does not come; values are those at the time when a model
/// comes. A ``PagedModelStore`` reads one page after the other instead, which are as the store has them by then. The
/// sequence belongs to the isolation of its store.
public struct StoredModelSequence<M: Model>: AsyncSequence {
  /// A model.
  public typealias Element = M

  let store: any ModelStore
  let query: ModelQuery<M>

  /// Restarts at the first model.
  public func makeAsyncIterator() -> Iterator { Iterator(store: store, query: query) }

  /// The iterator of a `for try await` loop.
  public struct Iterator: AsyncIteratorProtocol {
    let store: any ModelStore
    let query: ModelQuery<M>
    private var identifiers: ArraySlice<String>?
    /// The rest of the page that was found last.
    private var models: ArraySlice<M> = []
    private var mark: ModelPageMark?
    private var isAtLastPage = false

    init(store: any ModelStore, query: ModelQuery<M>) {
      self.store = store
      self.query = query
    }

    /// The next model; nil at the end.
    ///
    /// - Throws: ``ModelStoreError`` as `list` does, `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> M? {
      try Task.checkCancellation()
      if let store = store as? any PagedModelStore { return try await next(in: store) }
      if identifiers == nil { identifiers = try await store.identifiers(query)[...] }
      while let identifier = identifiers?.popFirst() {
        do {
          return try await store.lookup(M.self, identifier: identifier)
        } catch let error as ModelStoreError where error.code == .notFound {
          continue
        }
      }
      return nil
    }

    private mutating func next(in store: some PagedModelStore) async throws -> M? {
      while true {
        while let model = models.popFirst() {
          // One that was deleted since the page was found is left out.
          if model.isKnownToStore { return model }
        }
        if isAtLastPage { return nil }
        let page = try await store.page(query, after: mark)
        models = page.models[...]
        mark = page.next
        isAtLastPage = mark == nil
      }
    }
  }
}

extension ModelStore {
  /// The models of a type, one after the other, without having all of them in memory: see ``StoredModelSequence``.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - evaluation: who decides which models fit.
  public func stream<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    evaluation: QueryEvaluation = .byStore
  ) -> StoredModelSequence<M> {
    StoredModelSequence(store: self, query: ModelQuery(type, where: filter, sort: sort, evaluation: evaluation))
  }
}

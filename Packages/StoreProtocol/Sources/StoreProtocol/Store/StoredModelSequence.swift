@_spi(ModelKitInternals) import ModelCore

/// The models that a query finds, one by one, in bounded memory.
///
/// ```swift
/// for try await person in store.stream(Person.self, where: { $0.age > 30 }) {
///   print(person.name.value ?? "?")
/// }
/// ```
///
/// Memory, file, PostgreSQL and sync stores, and every other `RecordStore`, read a stream from one snapshot, in
/// batches:
///
/// - The moment of a stream is that of its first model. Models that are created later are not in it; those that are
///   deleted later are.
/// - A live model that was saved or read again since keeps its newer values, and unsaved edits are kept, as in a list.
/// - The snapshot is released at the end, when the task is cancelled, and with an iterator that is not used to the end.
///
/// A ``PagedModelStore`` reads one page after the other instead, such as `RESTModelStore`. Another store reads the
/// identifiers at the beginning, and each model when its turn comes. There, a model has its values of that time, and is
/// left out if it was deleted. The sequence belongs to the isolation of its store.
public struct StoredModelSequence<M: Model>: AsyncSequence {
  /// A model.
  public typealias Element = M

  private let begin: () async throws -> () async throws -> M?

  init(
    _ store: some ModelStore, _ query: ModelQuery<M>,
    including relations: [(RelationPath<M>) -> any IncludedRelation] = []
  ) {
    begin = { try await store.modelReader(query, including: relations) }
  }

  /// Creates the sequence of the models of a class that is known only at run time.
  init<Exact: Model>(_ store: some ModelStore, _ query: ModelQuery<Exact>, as type: ModelType<M>) {
    begin = {
      let read = try await store.modelReader(query)
      return { try await read().map(type.typed) }
    }
  }

  /// Restarts at the first model. A snapshot is taken again.
  public func makeAsyncIterator() -> Iterator { Iterator(progress: .planned(begin)) }

  /// The iterator of a `for try await` loop.
  public struct Iterator: AsyncIteratorProtocol {
    enum Progress {
      case planned(() async throws -> () async throws -> M?)
      case begun(() async throws -> M?)
      case ended
    }

    fileprivate var progress: Progress

    /// Returns the next model; nil at the end, and after an error.
    ///
    /// - Throws: ``ModelStoreError`` as `list` does, `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> M? { try await next(isolation: #isolation) }

    /// Returns the next model, read in the isolation of the caller; nil at the end, and after an error.
    ///
    /// - Throws: ``ModelStoreError`` as `list` does, `CancellationError` if the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> M? {
      if case .ended = progress { return nil }
      do {
        try Task.checkCancellation()
        if case .planned(let begin) = progress { progress = .begun(try await begin()) }
        if case .begun(let read) = progress, let model = try await read() { return model }
      } catch {
        progress = .ended
        throw error
      }
      progress = .ended
      return nil
    }
  }
}

/// A store whose streams are of one moment.
package protocol SnapshotStreamStore: ModelStore {
  /// Begins a stream of the models that a query finds now.
  ///
  /// - Returns: a function that returns the next model; nil at the end. The snapshot is released with it.
  func beginStream<M: Model>(_ query: ModelQuery<M>) async throws -> () async throws -> M?
}

extension ModelStore {
  /// Returns a function that returns the next model that a query finds; nil at the end. Related models are read for a
  /// hundred models together.
  fileprivate func modelReader<M: Model>(
    _ query: ModelQuery<M>, including relations: [(RelationPath<M>) -> any IncludedRelation]
  ) async throws -> () async throws -> M? {
    if !relations.isEmpty, let store = self as? any EmbeddingModelStore,
      let read = try await store.embeddingReader(query, including: relations)
    {
      return read
    }
    let read = try await modelReader(query)
    if relations.isEmpty { return read }
    var (models, isAtEnd): (ArraySlice<M>, Bool) = ([], false)
    return {
      if models.isEmpty {
        while !isAtEnd, models.count < 100 {
          if let model = try await read() { models.append(model) } else { isAtEnd = true }
        }
        try await self.load(relations, of: Array(models), evaluation: query.evaluation)
      }
      return models.popFirst()
    }
  }

  /// Returns a function that returns the next model that a query finds; nil at the end.
  fileprivate func modelReader<M: Model>(_ query: ModelQuery<M>) async throws -> () async throws -> M? {
    if let store = self as? any SnapshotStreamStore { return try await store.beginStream(query) }
    if let store = self as? any PagedModelStore { return store.pageReader(query) }
    var identifiers = try await identifiers(query)[...]
    return {
      while let identifier = identifiers.popFirst() {
        do {
          return try await self.lookup(M.self, identifier: identifier)
        } catch let error as ModelStoreError where error.code == .notFound {
          continue
        }
      }
      return nil
    }
  }
}

extension EmbeddingModelStore {
  /// Returns a function that returns the next model, with related models from the pages; nil if these can't contain
  /// any.
  fileprivate func embeddingReader<M: Model>(
    _ query: ModelQuery<M>, including relations: [(RelationPath<M>) -> any IncludedRelation]
  ) async throws -> (() async throws -> M?)? {
    guard let first = try await embeddedPage(query, after: nil, including: relations) else { return nil }
    var (models, mark) = (first.models[...], first.next)
    return {
      while true {
        while let model = models.popFirst() {
          // One that was deleted since the page was found is left out.
          if model.isKnownToStore { return model }
        }
        guard let last = mark, let page = try await self.embeddedPage(query, after: last, including: relations) else {
          return nil
        }
        (models, mark) = (page.models[...], page.next)
      }
    }
  }
}

extension PagedModelStore {
  fileprivate func pageReader<M: Model>(_ query: ModelQuery<M>) -> () async throws -> M? {
    var (models, mark, isAtLastPage): (ArraySlice<M>, ModelPageMark?, Bool) = ([], nil, false)
    return {
      while true {
        while let model = models.popFirst() {
          // One that was deleted since the page was found is left out.
          if model.isKnownToStore { return model }
        }
        if isAtLastPage { return nil }
        let page = try await self.page(query, after: mark)
        models = page.models[...]
        mark = page.next
        isAtLastPage = mark == nil
      }
    }
  }
}

extension ModelStore {
  /// Returns the models of a type one by one, in bounded memory: see ``StoredModelSequence``.
  ///
  /// - Parameters:
  ///   - type: the class of the models; models of derived classes are among them.
  ///   - filter: the condition.
  ///   - sort: the criteria of the order; without any it is the order of creation.
  ///   - evaluation: where conditions are evaluated.
  ///   - relations: the relations that are read with the models, as key paths of ``RelationPath``: for a hundred models
  ///     together.
  public func stream<M: Model>(
    _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [],
    evaluation: QueryEvaluation = .byStore, including relations: [(RelationPath<M>) -> any IncludedRelation] = []
  ) -> StoredModelSequence<M> {
    StoredModelSequence(
      self, ModelQuery(type, where: filter, sort: sort, evaluation: evaluation), including: relations)
  }
}

public import ModelCore
public import Observation

/// A live list for a view: the models that a query finds, updated while the view is visible.
///
/// ```swift
/// let list = LiveList(
///   store,
///   ModelQuery(Book.self, where: { $0.rating >= 4 }, sort: [.ascending(\.title)]))
/// list.resume()  // when the view appears
/// // Shows the previous models until the new ones are loaded:
/// list.query = ModelQuery(Book.self)
/// list.pause()  // when it disappears
/// ```
///
/// It is observable, as by `withObservationTracking` and in the `body` of a SwiftUI view. A paused list keeps its
/// models and has no cost. It belongs to the main actor, like its store and the views.
@MainActor
@Observable
public final class LiveList<M: Model> {
  /// The models in the order of the query. After an error, the models of the last valid result.
  public private(set) var models: [M] = []
  /// The differences from the previous models. After a pause or a new query, all models that stay count as updated.
  public private(set) var differences = ModelDifferences<M>()
  /// `notLoaded` before the list is first resumed, `loading` until the query has a result, then `loaded` or `error`.
  public private(set) var loadState = LoadState.notLoaded
  /// Whether the list is paused, so that it follows no changes.
  public private(set) var isPaused = true

  private var currentQuery: ModelQuery<M>
  @ObservationIgnored private let observe: (ModelQuery<M>) -> LiveResults<M>
  @ObservationIgnored private var task: Task<Void, Never>?

  /// Creates a list, which is paused and empty.
  ///
  /// - Parameters:
  ///   - store: a store of the main actor.
  ///   - query: the query.
  ///   - relations: the relations that are loaded with the models, as key paths of ``RelationPath``.
  public init(
    _ store: some LiveModelStore, _ query: ModelQuery<M>,
    including relations: [(RelationPath<M>) -> any IncludedRelation] = []
  ) {
    currentQuery = query
    observe = { store.observe($0, including: relations) }
  }

  /// Creates a list of the models of a class, which is paused and empty.
  ///
  /// - Parameters:
  ///   - store: a store of the main actor.
  ///   - type: the class of the models.
  ///   - filter: the condition; see ``ModelColumns``.
  ///   - sort: the criteria of the order; empty for the order of creation.
  ///   - limit: the largest number of models; nil for all.
  ///   - relations: the relations that are loaded with the models, as key paths of ``RelationPath``.
  public convenience init(
    _ store: some LiveModelStore, _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    sort: [ModelSort<M>] = [], limit: Int? = nil, including relations: [(RelationPath<M>) -> any IncludedRelation] = []
  ) {
    self.init(store, ModelQuery(type, where: filter, sort: sort, limit: limit), including: relations)
  }

  deinit { task?.cancel() }

  /// The query. A new query runs at once, unless the list is paused. The old models stay until it has a result.
  public var query: ModelQuery<M> {
    get { currentQuery }
    set {
      guard newValue != currentQuery else { return }
      currentQuery = newValue
      if !isPaused { start() }
    }
  }

  /// Whether the query has no result yet.
  public var isLoading: Bool { if case .loading = loadState { true } else { false } }

  /// The error since the last valid result; nil without one. The query runs again with the next relevant change, unless
  /// it is invalid, and with ``reload()``.
  public var error: ModelStoreError? {
    if case .error(let error) = loadState { error as? ModelStoreError } else { nil }
  }

  /// Follows changes, beginning with the current result. Does nothing unless the list is paused.
  public func resume() {
    guard isPaused else { return }
    isPaused = false
    start()
  }

  /// Stops following changes until the list is resumed. The models stay.
  public func pause() {
    guard !isPaused else { return }
    isPaused = true
    task?.cancel()
    task = nil
    if isLoading { loadState = .notLoaded }
  }

  /// Runs the query again, such as after an error. Does nothing while the list is paused: ``resume()`` runs the query.
  public func reload() { if !isPaused { start() } }

  private func start() {
    task?.cancel()
    loadState = .loading
    let results = observe(currentQuery)
    task = Task { [weak self] in
      var isFirst = true
      for await result in results {
        // Cancelled by a pause, another query or the end of the list.
        guard !Task.isCancelled, let self else { return }
        self.show(result, isFirst: isFirst)
        // An error leaves the models of the previous query.
        if result.error == nil { isFirst = false }
      }
    }
  }

  private func show(_ result: LiveResult<M>, isFirst: Bool) {
    if let error = result.error {
      loadState = .error(error)
      // A new observation has no models from before its error.
      if isFirst { return }
    } else {
      loadState = .loaded
    }
    differences = isFirst ? ModelDifferences(from: models, toUnknown: result.models) : result.differences
    models = result.models
  }
}

extension ModelDifferences where Element: Model {
  /// Compares shown models with a result if the written ones among them are unknown.
  fileprivate init(from old: [Element], toUnknown new: [Element]) {
    self.init(from: old, to: new)
    let known = Set(old)
    updated = new.indices.filter { known.contains(new[$0]) }.map { Change(model: new[$0], index: $0) }
  }
}

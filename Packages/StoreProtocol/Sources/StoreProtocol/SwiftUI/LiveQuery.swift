#if canImport(SwiftUI)
  public import ModelCore
  public import SwiftUI

  // Built by the macOS workflow only: there is no SwiftUI on Linux. The logic is that of `LiveList`, which is tested
  // there.

  /// The models that a query finds, as a property of a view.
  ///
  /// ```swift
  /// struct BookList: View {
  ///   @LiveQuery private var books: [Book]
  ///   init(store: MemoryModelStore) {
  ///     _books = LiveQuery(store, Book.self, sort: [.ascending(\.title)])
  ///   }
  ///   var body: some View { List(books) { Text($0.title) }.following($books) }
  /// }
  /// ```
  @MainActor
  @propertyWrapper
  public struct LiveQuery<M: Model>: DynamicProperty {
    @State private var list: LiveList<M>

    /// Creates the property of a query.
    ///
    /// - Parameters:
    ///   - store: a store of the main actor.
    ///   - type: the class of the models.
    ///   - filter: the condition; see ``ModelColumns``.
    ///   - sort: the criteria of the order; empty for the order of creation.
    ///   - limit: the largest number of models; nil for all.
    ///   - relations: the relations that are loaded with the models, as key paths of ``RelationPath``.
    public init(
      _ store: some LiveModelStore, _ type: M.Type, where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
      sort: [ModelSort<M>] = [], limit: Int? = nil,
      including relations: [(RelationPath<M>) -> any IncludedRelation] = []
    ) {
      _list = State(
        initialValue: LiveList(store, type, where: filter, sort: sort, limit: limit, including: relations))
    }

    /// The models in the order of the query.
    public var wrappedValue: [M] { list.models }

    /// The list, with its error and its load state.
    public var projectedValue: LiveList<M> { list }
  }

  extension View {
    /// Keeps a list up to date while this view is visible.
    public func following<M: Model>(_ list: LiveList<M>) -> some View {
      onAppear { list.resume() }.onDisappear { list.pause() }
    }
  }
#endif

public import ModelCore

/// The result of groups and values whose closure returns no columns, which throw an error.
///
/// Swift infers it for a closure that returns a tuple with labels, or a condition. Return the columns without labels,
/// and a Boolean field as `($0.isPaid as QueryColumn<Bool>)`. If the closure is right, the expression around the call
/// is too complex for the compiler: assign the result to a constant, and use that.
public struct NoColumns: Sendable {
  init() {}
}

// Without these functions, Swift would infer columns of no types, and report an error at the use of the result. They
// are deprecated, not unavailable: the compiler would prefer that inference to an unavailable function.

extension ModelStore {
  /// Rejects labels in the columns of the key, which a key of groups can't have.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "Return columns without labels. Write a Boolean field as ($0.isPaid as QueryColumn<Bool>)"
  )
  public func groups<M: Model, each Result>(
    _ type: M.Type, by keys: (ModelColumns<M>) -> Void,
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    sort: ((GroupColumns<M>) -> [GroupSort<M>])? = nil, limit: Int? = nil, evaluation: QueryEvaluation = .byStore,
    _ values: (GroupColumns<M>) -> (repeat QueryAggregate<each Result>)
  ) async throws -> NoColumns {
    throw ModelStoreError.noColumns
  }

  /// Rejects labels in the values of groups, which they can't have.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "Return aggregates without labels, such as { ($0.count, $0.sum(\\.amount)) }"
  )
  public func groups<M: Model, each Key: Hashable>(
    _ type: M.Type, by keys: (ModelColumns<M>) -> (repeat QueryColumn<each Key>),
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    sort: ((GroupColumns<M>) -> [GroupSort<M>])? = nil, limit: Int? = nil, evaluation: QueryEvaluation = .byStore,
    _ values: (GroupColumns<M>) -> Void
  ) async throws -> NoColumns {
    throw ModelStoreError.noColumns
  }

  /// Rejects labels in the columns of the key, which a key of groups can't have.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "Return columns without labels. Write a Boolean field as ($0.isPaid as QueryColumn<Bool>)"
  )
  public func groups<M: Model, each Result>(
    _ query: ModelQuery<M>, by keys: (ModelColumns<M>) -> Void,
    sort: ((GroupColumns<M>) -> [GroupSort<M>])? = nil, limit: Int? = nil,
    _ values: (GroupColumns<M>) -> (repeat QueryAggregate<each Result>)
  ) async throws -> NoColumns {
    throw ModelStoreError.noColumns
  }

  /// Rejects labels in the values of groups, which they can't have.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "Return aggregates without labels, such as { ($0.count, $0.sum(\\.amount)) }"
  )
  public func groups<M: Model, each Key: Hashable>(
    _ query: ModelQuery<M>, by keys: (ModelColumns<M>) -> (repeat QueryColumn<each Key>),
    sort: ((GroupColumns<M>) -> [GroupSort<M>])? = nil, limit: Int? = nil, _ values: (GroupColumns<M>) -> Void
  ) async throws -> NoColumns {
    throw ModelStoreError.noColumns
  }

  /// Rejects labels of columns, which their values can't have.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "Return columns without labels. Write a Boolean field as ($0.isPaid as QueryColumn<Bool>)"
  )
  public func values<M: Model>(
    _ type: M.Type, of columns: (ModelColumns<M>) -> Void,
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil, sort: [ModelSort<M>] = [], limit: Int? = nil,
    offset: Int = 0, evaluation: QueryEvaluation = .byStore
  ) async throws -> NoColumns {
    throw ModelStoreError.noColumns
  }

  /// Rejects labels of columns, which their values can't have.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "Return columns without labels. Write a Boolean field as ($0.isPaid as QueryColumn<Bool>)"
  )
  public func values<M: Model>(
    _ query: ModelQuery<M>, of columns: (ModelColumns<M>) -> Void
  ) async throws -> NoColumns {
    throw ModelStoreError.noColumns
  }
}

extension LiveModelStore {
  /// Rejects labels in the columns of the key, which a key of groups can't have.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "Return columns without labels. Write a Boolean field as ($0.isPaid as QueryColumn<Bool>)"
  )
  public func observeGroups<M: Model, each Value: Equatable>(
    _ type: M.Type, by keys: (ModelColumns<M>) -> Void,
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    sort: ((GroupColumns<M>) -> [GroupSort<M>])? = nil, limit: Int? = nil, evaluation: QueryEvaluation = .byStore,
    _ values: (GroupColumns<M>) -> (repeat QueryAggregate<each Value>)
  ) -> NoColumns {
    NoColumns()
  }

  /// Rejects labels in the values of groups, which they can't have.
  @_documentation(visibility: internal)
  @available(
    *, deprecated,
    message: "Return aggregates without labels, such as { ($0.count, $0.sum(\\.amount)) }"
  )
  public func observeGroups<M: Model, each Key: Hashable>(
    _ type: M.Type, by keys: (ModelColumns<M>) -> (repeat QueryColumn<each Key>),
    where filter: ((ModelColumns<M>) -> QueryExpression)? = nil,
    sort: ((GroupColumns<M>) -> [GroupSort<M>])? = nil, limit: Int? = nil, evaluation: QueryEvaluation = .byStore,
    _ values: (GroupColumns<M>) -> Void
  ) -> NoColumns {
    NoColumns()
  }
}

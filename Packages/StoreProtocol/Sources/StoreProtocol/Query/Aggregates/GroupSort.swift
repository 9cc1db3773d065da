@_spi(ModelKitInternals) import FieldKit

/// A sort criterion of groups: a value of each group, and the direction.
///
/// ```swift
/// let largest = try await store.groups(
///   Expense.self, by: { $0.category.name },
///   sort: { [.descending($0.sum(\.amount))] }, limit: 10
/// ) { ($0.count, $0.sum(\.amount)) }
/// ```
///
/// The key of a group is the least of its values: `.ascending($0.minimum(\.category.name))` sorts by it. Nil is less
/// than all values. Groups that are equal by all criteria stay in the order in which the first record of each was
/// created.
public struct GroupSort<M: Model> {
  /// The column; nil to count records.
  let path: QueryPath?
  let value: RecordAggregation.Value?
  let makeState: (ValueTransformerContext) -> AnyAggregateState
  /// Returns the ranks of groups by their states. Equal groups have the same rank.
  let ranks: ([AnyAggregateState]) throws -> [Int]

  /// Returns a criterion that sorts by a value of each group, with small values first.
  public static func ascending<Value: Comparable>(_ value: QueryAggregate<Value>) -> GroupSort {
    GroupSort(value, isAscending: true) { .some($0) }
  }

  /// Returns a criterion that sorts by a value of each group, with large values first.
  public static func descending<Value: Comparable>(_ value: QueryAggregate<Value>) -> GroupSort {
    GroupSort(value, isAscending: false) { .some($0) }
  }

  /// Returns a criterion that sorts by a value of each group, with nil and small values first.
  public static func ascending<Value: Comparable>(_ value: QueryAggregate<Value?>) -> GroupSort {
    GroupSort(value, isAscending: true) { $0 }
  }

  /// Returns a criterion that sorts by a value of each group, with large values first, and nil last.
  public static func descending<Value: Comparable>(_ value: QueryAggregate<Value?>) -> GroupSort {
    GroupSort(value, isAscending: false) { $0 }
  }

  private init<Result, Value: Comparable>(
    _ aggregate: QueryAggregate<Result>, isAscending: Bool, _ value: @escaping (Result) -> Value?
  ) {
    (path, self.value) = (aggregate.path, aggregate.value)
    makeState = { aggregate.makeState($0) }
    ranks = { states in
      // Created by `makeState`.
      let values = try states.map { value(try unsafeDowncast($0, to: AggregateState<Result>.self).result) }
      func isLess(_ left: Int, _ right: Int) -> Bool {
        let (low, high) = isAscending ? (values[left], values[right]) : (values[right], values[left])
        guard let high else { return false }
        return low.map { ScalarOrder.isLess($0, high) } ?? true
      }
      var ranks = Array(repeating: 0, count: values.count)
      var last: Int?
      for index in values.indices.sorted(by: isLess) {
        ranks[index] = last.map { isLess($0, index) ? ranks[$0] + 1 : ranks[$0] } ?? 0
        last = index
      }
      return ranks
    }
  }
}

/// The order and the number of groups. A separate type, because Swift 6.3 crashes over a closure that captures a pack.
struct GroupOrder<M: Model> {
  var sort: [GroupSort<M>] = []
  var limit: Int?

  init(_ sort: ((GroupColumns<M>) -> [GroupSort<M>])?, _ limit: Int?) {
    self.sort = sort.map { $0(GroupColumns()) } ?? []
    self.limit = limit
  }

  /// The columns of the criteria; nil for a count of records.
  var paths: [QueryPath?] { sort.map { $0.path } }

  /// The values that an engine has to calculate; nil for one of something else than a field.
  var values: [RecordAggregation.Value?] { sort.map { $0.value } }

  func makeStates(_ context: ValueTransformerContext) -> [AnyAggregateState] { sort.map { $0.makeState(context) } }

  func validate() throws {
    if let limit, limit < 0 {
      throw ModelStoreError(.invalid, "Groups can't have a limit of \(limit): use 0 or more, or nil for all.")
    }
  }

  /// Returns the groups in the order of the criteria, up to the limit.
  ///
  /// - Parameter first: the index of the state of the first criterion in each group.
  func sorted(_ groups: [Groups.Group], statesFrom first: Int) throws -> [Groups.Group] {
    var indices = Array(groups.indices)
    if !sort.isEmpty {
      let ranks = try sort.enumerated().map { offset, sort in
        try sort.ranks(groups.map { $0.states[first + offset] })
      }
      indices.sort { left, right in
        for ranks in ranks where ranks[left] != ranks[right] { return ranks[left] < ranks[right] }
        return left < right
      }
    }
    return indices.prefix(limit ?? .max).map { groups[$0] }
  }
}

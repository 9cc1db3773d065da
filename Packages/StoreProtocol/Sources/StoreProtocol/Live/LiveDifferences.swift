/// The differences between two consecutive live results: inserted, removed, moved and updated models.
///
/// ```swift
/// for await people in store.observe(Person.self) {
///   for change in people.differences.removed.reversed() { table.deleteRow(change.index) }
///   for change in people.differences.inserted { table.insertRow(change.index) }
///   for move in people.differences.moved { table.moveRow(move.oldIndex, move.newIndex) }
///   for change in people.differences.updated { table.reloadRow(change.index) }
/// }
/// ```
public struct LiveDifferences<M: Model> {
  /// A model and its position.
  public struct Change {
    /// The model.
    public let model: M
    /// The position in the new result, or in the old one if the model was removed.
    public let index: Int
  }

  /// A model that is in both results, but not in the same order as the others.
  public struct Move {
    /// The model.
    public let model: M
    /// The position in the old result.
    public let oldIndex: Int
    /// The position in the new result.
    public let newIndex: Int
  }

  /// The inserted models, by their position in the new result.
  public internal(set) var inserted: [Change] = []
  /// The removed models, by their position in the old result.
  public internal(set) var removed: [Change] = []
  /// The moved models, by their position in the new result: the smallest set that explains the new order.
  public internal(set) var moved: [Move] = []
  /// The models in both results whose records were written, by their position in the new result. After a gap, all models
  /// in both results.
  public internal(set) var updated: [Change] = []

  /// Whether there are no differences.
  public var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && moved.isEmpty && updated.isEmpty }

  init() {}

  /// Compares two parts of results that begin at the same position.
  init(from old: ArraySlice<M>, to new: [M], at start: Int) {
    let differences = ModelDifferences(from: Array(old), to: new)
    inserted = differences.inserted.map { Change(model: $0.model, index: $0.index + start) }
    removed = differences.removed.map { Change(model: $0.model, index: $0.index + start) }
    moved = differences.moved.map {
      Move(model: $0.model, oldIndex: $0.oldIndex + start, newIndex: $0.newIndex + start)
    }
  }

  /// Returns the same differences, with the models as another class.
  func map<Other: Model>(_ transform: (M) throws -> Other) rethrows -> LiveDifferences<Other> {
    var differences = LiveDifferences<Other>()
    func change(_ change: Change) throws -> LiveDifferences<Other>.Change {
      LiveDifferences<Other>.Change(model: try transform(change.model), index: change.index)
    }
    differences.inserted = try inserted.map(change)
    differences.removed = try removed.map(change)
    differences.updated = try updated.map(change)
    differences.moved = try moved.map {
      LiveDifferences<Other>.Move(model: try transform($0.model), oldIndex: $0.oldIndex, newIndex: $0.newIndex)
    }
    return differences
  }

  /// Returns the new list of models, computed from the old one.
  ///
  /// - Complexity: O(*n*) in the number of models.
  public func applied(to old: [M]) -> [M] {
    var gone = Set(removed.map(\.index))
    for move in moved { gone.insert(move.oldIndex) }
    var new: [M] = []
    new.reserveCapacity(old.count + inserted.count - removed.count)
    var staying = old.indices.lazy.filter { !gone.contains($0) }.makeIterator()
    var (nextInserted, nextMoved) = (inserted[...], moved[...])
    while true {
      if let change = nextInserted.first, change.index == new.count {
        new.append(change.model)
        nextInserted.removeFirst()
      } else if let move = nextMoved.first, move.newIndex == new.count {
        new.append(move.model)
        nextMoved.removeFirst()
      } else if let index = staying.next() {
        new.append(old[index])
      } else {
        return new
      }
    }
  }
}

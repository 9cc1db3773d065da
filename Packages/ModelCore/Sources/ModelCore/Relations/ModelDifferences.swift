/// The differences between a list of models and an older one: the inserted, removed, moved and updated models.
///
/// ```swift
/// func path(_ index: Int) -> IndexPath { IndexPath(item: index, section: 0) }
///
/// for await result in store.observe(Person.self) {
///   let differences = result.differences
///   view.performBatchUpdates {
///     people = result.models
///     view.deleteItems(at: differences.removed.map { path($0.index) })
///     view.insertItems(at: differences.inserted.map { path($0.index) })
///     for move in differences.moved {
///       view.moveItem(at: path(move.oldIndex), to: path(move.newIndex))
///     }
///   }
///   view.reloadItems(at: differences.updated.map { path($0.index) })
/// }
/// ```
///
/// The indexes are those of the old and of the new list, not of the lists between them: remove, insert and move in one
/// batch. ``applied(to:)`` does so for an array.
///
/// Models are equal if they are the same object. As few models as possible are reported as moved.
public struct ModelDifferences<Element: AnyObject> {
  /// A model and its index.
  public struct Change {
    /// The model.
    public let model: Element
    /// Its index in the new list, or in the old one if it was removed.
    public let index: Int

    /// Creates a change.
    public init(model: Element, index: Int) {
      self.model = model
      self.index = index
    }
  }

  /// A model that is in both lists, but not in the same order as the others.
  public struct Move {
    /// The model.
    public let model: Element
    /// Its index in the old list.
    public let oldIndex: Int
    /// Its index in the new list.
    public let newIndex: Int

    /// Creates a move.
    public init(model: Element, oldIndex: Int, newIndex: Int) {
      self.model = model
      self.oldIndex = oldIndex
      self.newIndex = newIndex
    }
  }

  /// The inserted models, by their index in the new list.
  public var inserted: [Change] = []
  /// The removed models, by their index in the old list.
  public var removed: [Change] = []
  /// The moved models, by their index in the new list.
  public var moved: [Move] = []
  /// The models in both results of a live query whose records were written, by their index in the new one. After a gap,
  /// all models in both results. Empty for lists that are compared otherwise.
  public var updated: [Change] = []

  /// Whether there are no differences.
  public var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && moved.isEmpty && updated.isEmpty }

  /// Creates the differences of equal lists.
  public init() {}

  /// Compares two lists without duplicates.
  ///
  /// - Parameters:
  ///   - old: the older list.
  ///   - new: the newer list.
  ///   - offset: the index of the first element, for parts of longer lists.
  /// - Complexity: O(*n*), and O(*n* log *n*) where the order differs. A common prefix or suffix costs only a
  ///   comparison.
  public init(from old: [Element], to new: [Element], at offset: Int = 0) {
    var start = 0
    while start < old.count, start < new.count, old[start] === new[start] { start += 1 }
    var oldEnd = old.count
    var newEnd = new.count
    while oldEnd > start, newEnd > start, old[oldEnd - 1] === new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    var oldIndexes: [ObjectIdentifier: Int] = [:]
    oldIndexes.reserveCapacity(oldEnd - start)
    for index in start..<oldEnd { oldIndexes[ObjectIdentifier(old[index])] = index }
    var common: [(old: Int, new: Int)] = []
    for index in start..<newEnd {
      if let oldIndex = oldIndexes.removeValue(forKey: ObjectIdentifier(new[index])) {
        common.append((oldIndex, index))
      } else {
        inserted.append(Change(model: new[index], index: index + offset))
      }
    }
    removed = oldIndexes.values.sorted().map { Change(model: old[$0], index: $0 + offset) }
    let staying = Self.longestRise(in: common.map(\.old))
    for (position, indexes) in common.enumerated() where !staying.contains(position) {
      moved.append(Move(model: new[indexes.new], oldIndex: indexes.old + offset, newIndex: indexes.new + offset))
    }
  }

  /// Returns the new list of models, computed from the old one.
  ///
  /// - Complexity: O(*n*) in the number of models.
  public func applied(to old: [Element]) -> [Element] {
    var gone = Set(removed.map(\.index))
    for move in moved { gone.insert(move.oldIndex) }
    var new: [Element] = []
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

  /// Returns the positions of a longest increasing subsequence. All other elements have moved.
  private static func longestRise(in numbers: [Int]) -> Set<Int> {
    // `ends`: for every length, the position of the smallest number that ends a subsequence of that length.
    // `predecessors`: for every position, the one before it in its subsequence.
    var ends: [Int] = []
    var predecessors: [Int] = []
    for (position, number) in numbers.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      predecessors.append(low > 0 ? ends[low - 1] : -1)
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var rise: Set<Int> = []
    var position = ends.last ?? -1
    while position >= 0 {
      rise.insert(position)
      position = predecessors[position]
    }
    return rise
  }
}

extension ModelArrayField {
  /// Returns the differences between a value of this relation and an older one. Nil counts as no members.
  public func differences(from old: [Related]?, to new: [Related]?) -> ModelDifferences<Related> {
    ModelDifferences(from: old ?? [], to: new ?? [])
  }

  /// Adds an observer that receives the inserted, removed and moved models when the list changes.
  ///
  /// - Parameters:
  ///   - updateImmediately: whether to call the closure once before this returns, with the current members inserted.
  ///   - action: receives the old value, the new value and their differences.
  /// - Returns: a token that ends the observation; otherwise it lasts as long as the field.
  /// - Complexity: O(*n*) for every change.
  @discardableResult
  public func addObserver(
    updateImmediately: Bool = true,
    differences action: @escaping ([Related]?, [Related]?, ModelDifferences<Related>) -> Void
  ) -> ObservationToken {
    if updateImmediately {
      let current = value
      action(current, current, ModelDifferences(from: [], to: current ?? []))
    }
    return addObserver(updateImmediately: false) { old, new in
      action(old, new, ModelDifferences(from: old ?? [], to: new ?? []))
    }
  }
}

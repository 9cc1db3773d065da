/// The models for the identifiers in one call of a reader.
///
/// Most documents list models by ascending numbers. Those are kept in sorted rows: appending one needs no search, and a
/// lookup is a binary search. Numbers out of order are kept in a dictionary.
struct DocumentIdentityMap {
  private struct Row {
    let rootClass: ObjectIdentifier
    /// In ascending order.
    var numbers: [Int] = []
    var models: [ModelReader.Made] = []

    func index(of number: Int) -> Int? {
      guard let last = numbers.last, number <= last else { return nil }
      var low = 0
      var high = numbers.count - 1
      while low < high {
        let middle = (low + high) / 2
        if numbers[middle] < number { low = middle + 1 } else { high = middle }
      }
      return numbers[low] == number ? low : nil
    }
  }

  /// One row per hierarchy; there are few.
  private var rows: [Row] = []
  private var others: [IdentityKey: ModelReader.Made] = [:]

  var isEmpty: Bool { rows.isEmpty && others.isEmpty }

  /// - Complexity: O(log *n*) at most, O(1) on average for a missing key that is greater than all others.
  subscript(key: IdentityKey) -> ModelReader.Made? {
    get {
      if let number = key.number, let row = row(of: key), let index = rows[row].index(of: number) {
        return rows[row].models[index]
      }
      return others.isEmpty ? nil : others[key]
    }
    set {
      guard let newValue, let number = key.number else {
        others[key] = newValue
        return
      }
      guard let row = row(of: key) else {
        if others[key] != nil {
          others[key] = newValue
        } else {
          rows.append(Row(rootClass: key.rootClass, numbers: [number], models: [newValue]))
        }
        return
      }
      if let index = rows[row].index(of: number) {
        rows[row].models[index] = newValue
      } else if rows[row].numbers.last.map({ $0 < number }) ?? true, others.isEmpty || others[key] == nil {
        rows[row].numbers.append(number)
        rows[row].models.append(newValue)
      } else {
        others[key] = newValue
      }
    }
  }

  private func row(of key: IdentityKey) -> Int? {
    for index in rows.indices where rows[index].rootClass == key.rootClass { return index }
    return nil
  }

  /// The number of models in the row of each hierarchy.
  var counts: [(rootClass: ModelObject.Type, count: Int)] {
    rows.compactMap { row in row.models.first.map { ($0.model.layout.rootClass, row.models.count) } }
  }

  /// Reserves capacity for models of one hierarchy that may follow.
  mutating func reserveCapacity(_ count: Int, of rootClass: ModelObject.Type) {
    let rootClass = ObjectIdentifier(rootClass)
    if rows.contains(where: { $0.rootClass == rootClass }) { return }
    var row = Row(rootClass: rootClass)
    row.numbers.reserveCapacity(count)
    row.models.reserveCapacity(count)
    rows.append(row)
  }
}

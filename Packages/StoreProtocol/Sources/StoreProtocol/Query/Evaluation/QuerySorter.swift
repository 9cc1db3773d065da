@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// A sorter of rows in the order of a query. It reads the keys of each row once, and sorts the places of the rows:
/// their indexes in the order of addition.
final class QuerySorter {
  private let columns: [(reference: QueryReference, keys: QuerySortKeys, order: QueryOrder)]
  private(set) var count = 0
  /// A heap of the places of the kept rows, with the last row at its root; empty as long as no row was dropped.
  private var heap: [Int] = []
  /// The number of each row in the order of adding, by place; empty as long as no row was dropped.
  private var numbers: [Int] = []
  private var addedCount = 0

  init(_ columns: [(reference: QueryReference, keys: QuerySortKeys, order: QueryOrder)]) { self.columns = columns }

  /// Adds a row by reading its keys. If one can't be read, the row is not added.
  func add(_ row: some QueryRow) throws { try add(values(of: row)) }

  /// Returns the values by which a row is sorted.
  func values(of row: some QueryRow) throws -> [JSONValue] { try columns.map { try $0.reference.json(in: row) } }

  /// Adds a row by reading its keys from its values. If one can't be read, the row is not added.
  func add(_ values: [JSONValue]) throws {
    var addedKeys = 0
    do {
      for (column, value) in zip(columns, values) {
        try column.keys.add(value)
        addedKeys += 1
      }
    } catch {
      for column in columns.prefix(addedKeys) { column.keys.removeLast() }
      throw error
    }
    count += 1
  }

  /// Removes the last row.
  func removeLast() {
    for column in columns { column.keys.removeLast() }
    count -= 1
  }

  /// Replaces an earlier row with the last one.
  func moveLast(to place: Int) {
    count -= 1
    for column in columns { column.keys.moveLast(to: place) }
  }

  /// Returns a negative number if the left row comes first, a positive one if the right row does, and 0 if they are
  /// equal.
  func compare(_ left: Int, _ right: Int) -> Int {
    for (_, keys, order) in columns {
      let comparison = keys.compare(left, right, order)
      if comparison != 0 { return comparison }
    }
    return 0
  }

  /// Drops the last row of the order if there are more rows than a limit. Call it after each row.
  ///
  /// - Returns: the place of the added row, which can be that of a dropped row; nil if the added row itself was
  ///   dropped.
  /// - Complexity: O(1) if the added row is dropped, otherwise O(log *n*) in the limit.
  func keepBest(_ limit: Int) -> Int? {
    addedCount += 1
    guard count > limit else { return count - 1 }
    if heap.isEmpty, limit > 0 {
      numbers = Array(0..<limit)
      heap = numbers.sorted { isBefore($1, $0) }
    }
    guard let worst = heap.first, compare(count - 1, worst) < 0 else {
      removeLast()
      return nil
    }
    moveLast(to: worst)
    numbers[worst] = addedCount - 1
    sink()
    return worst
  }

  /// Restores the heap after its root was replaced.
  private func sink() {
    var parent = 0
    while true {
      var last = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(heap[last], heap[child]) {
        last = child
      }
      if last == parent { return }
      heap.swapAt(parent, last)
      parent = last
    }
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    let comparison = compare(left, right)
    return comparison == 0 ? numbers[left] < numbers[right] : comparison < 0
  }

  /// Returns the places of the rows in the order of the query. Equal rows stay in the order in which they were added.
  ///
  /// - Complexity: O(*n* log *n*).
  func order() -> [Int] {
    if !numbers.isEmpty { return heap.sorted(by: isBefore) }
    var places = Array(0..<count)
    places.sort { left, right in
      for (_, keys, order) in columns {
        let comparison = keys.compare(left, right, order)
        if comparison != 0 { return comparison < 0 }
      }
      return left < right
    }
    return places
  }
}

/// The keys of one criterion, by place.
class QuerySortKeys {
  func add(_ json: JSONValue) throws {}

  /// Replaces an earlier key with the last one.
  func moveLast(to place: Int) {}

  /// Removes the last key.
  func removeLast() {}

  /// Negative if the left row comes first, positive if the right one does, 0 if neither.
  func compare(_ left: Int, _ right: Int, _ order: QueryOrder) -> Int { 0 }

  /// Returns the storage for the keys of a field.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if its values have no order.
  static func keys(
    of field: AnyField, _ order: QueryOrder, _ context: ValueTransformerContext
  ) throws -> QuerySortKeys {
    if order.term.form == .count {
      let elements = try ListElements.reader(of: field, context)
      return TypedSortKeys<Int>({ json in
        json.isNull ? 0 : try elements?(json).count ?? json.arrayValue?.count ?? 0
      }) { $0 < $1 ? -1 : $0 == $1 ? 0 : 1 }
    }
    func comparing<Value: Comparable>(_ type: Value.Type) throws -> QuerySortKeys {
      guard let field = field as? Field<Value> else { throw refused(order, field) }
      return TypedSortKeys({ $0.isNull ? nil : try field.value(readFrom: $0, in: context) }) {
        $0 < $1 ? -1 : $1 < $0 ? 1 : 0
      }
    }
    if let field = field as? Field<String> {
      let form = order.term.form
      return TypedSortKeys(
        { json in
          let text = json.isNull ? nil : try field.value(readFrom: json, in: context)
          return text.map(form.folded)
        }, ScalarOrder.order)
    }
    guard let type = field.valueType as? any (Comparable & SendableMetatype).Type else { throw refused(order, field) }
    return try comparing(type)
  }

  private static func refused(_ order: QueryOrder, _ field: AnyField) -> ModelStoreError {
    ModelStoreError(
      .invalid,
      "A list can't be sorted by \("\(order)".shortenedForMessage()): values of the type \(field.valueType) have no order."
    )
  }
}

private final class TypedSortKeys<Value>: QuerySortKeys {
  private let read: (JSONValue) throws -> Value?
  private let compare: (Value, Value) -> Int
  private var keys: [Value?] = []

  init(_ read: @escaping (JSONValue) throws -> Value?, _ compare: @escaping (Value, Value) -> Int) {
    self.read = read
    self.compare = compare
  }

  override func add(_ json: JSONValue) throws { keys.append(try read(json)) }

  override func moveLast(to place: Int) { keys[place] = keys.removeLast() }

  override func removeLast() { keys.removeLast() }

  override func compare(_ left: Int, _ right: Int, _ order: QueryOrder) -> Int {
    switch (keys[left], keys[right]) {
    case (nil, nil): return 0
    case (nil, _): return order.nils == .first ? -1 : 1
    case (_, nil): return order.nils == .first ? 1 : -1
    case (let left?, let right?):
      let comparison = compare(left, right)
      return order.isDescending ? -comparison : comparison
    }
  }
}

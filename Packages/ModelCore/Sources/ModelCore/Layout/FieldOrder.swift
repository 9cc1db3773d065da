/// The order in which the fields of a model are shown: by priority.
///
/// Fields without priority are numbered from 1,000 on in the order of their declaration. Fields with equal numbers stay
/// in the order of their declaration.
struct FieldOrder: Sendable {
  /// The number of the first field without priority.
  static let firstDefault = 1_000

  /// The priority of every field, in the order of declaration.
  let priorities: [Int?]
  /// The indices of the fields in declaration order, sorted by priority; nil if both orders are the same.
  let sorted: [Int]?

  init(_ priorities: [Int?] = []) {
    self.priorities = priorities
    guard priorities.contains(where: { $0 != nil }) else {
      sorted = nil
      return
    }
    var next = Self.firstDefault
    let numbers = priorities.map { priority in
      if let priority { return priority }
      defer { next += 1 }
      return next
    }
    sorted = numbers.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
  }

  func callAsFunction<Element>(_ elements: [Element]) -> [Element] {
    sorted.map { $0.map { elements[$0] } } ?? elements
  }
}

/// In which order the fields of a model are shown: by priority, and those without one as if they were numbered from 1,000
/// on in the order of their declaration. Fields with equal numbers stay in the order of their declaration.
struct FieldOrder: Sendable {
  /// The number that fields without priority begin with.
  static let firstDefault = 1_000

  /// The priority of every field, in the order of declaration.
  let priorities: [Int?]
  /// The places of the fields in the order of declaration, sorted; nil if that is the order already.
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

extension Sequence where Element: Equatable {
  /// Returns the elements without duplicates: the first of equal elements, in the original order.
  ///
  /// ```swift
  /// assert([3, 1, 3].uniqueElements() == [3, 1])
  /// ```
  ///
  /// A list with `allowsDuplicates: false` stores the same.
  ///
  /// - Complexity: O(*n* · *m*) in the number of elements and of different ones.
  public func uniqueElements() -> [Element] {
    reduce(into: []) { unique, element in
      if !unique.contains(element) { unique.append(element) }
    }
  }
}

extension Sequence where Element: Hashable {
  /// Returns the elements without duplicates: the first of equal elements, in the original order.
  ///
  /// - Complexity: O(*n*).
  public func uniqueElements() -> [Element] {
    var seen = Set<Element>()
    return filter { seen.insert($0).inserted }
  }
}

extension OrderedIndex {
  /// Returns the records that have a key in each of several ranges, in the order of their creation. For an index of
  /// words, in which a record has many keys.
  ///
  /// - Complexity: O(*m* log *n*) for *m* records in the smallest range, plus the number of records in other ranges of
  ///   several keys.
  func places(inAll parts: [IndexRanges]) -> [Int] {
    let parts = parts.map { (ranges: $0, count: count(in: $0)) }.sorted { $0.count < $1.count }
    guard let first = parts.first else { return [] }
    var found = places(in: first.ranges)
    if !first.ranges.isOneKey { found = Self.distinct(found) }
    for part in parts.dropFirst() where !found.isEmpty {
      if let key = part.ranges.points?.first, part.count / 4 > found.count {
        found.removeAll { !contains(Entry(key: key, place: $0)) }
      } else {
        let others = Set(places(in: part.ranges))
        found.removeAll { !others.contains($0) }
      }
    }
    return found
  }

  private func contains(_ entry: Entry) -> Bool { self.entry(at: position(of: entry)) == entry }

  /// A record that has several words with a prefix occurs several times.
  private static func distinct(_ places: [Int]) -> [Int] {
    var distinct: [Int] = []
    distinct.reserveCapacity(places.count)
    for place in places.sorted() where place != distinct.last { distinct.append(place) }
    return distinct
  }
}

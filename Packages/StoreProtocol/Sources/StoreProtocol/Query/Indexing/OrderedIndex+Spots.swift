extension OrderedIndex {
  /// The position of an entry: its leaf, and its index in the leaf.
  struct Spot: Comparable {
    var leaf: Int
    var number: Int

    static func < (left: Spot, right: Spot) -> Bool {
      left.leaf == right.leaf ? left.number < right.number : left.leaf < right.leaf
    }
  }

  func entry(at spot: Spot) -> Entry? { spot.leaf < leaves.count ? leaves[spot.leaf][spot.number] : nil }

  func entry(before spot: Spot) -> Entry? {
    if spot.number > 0 { return leaves[spot.leaf][spot.number - 1] }
    return spot.leaf > 0 ? leaves[spot.leaf - 1].last : nil
  }

  /// Returns the position of the first entry after a cut.
  func spot(of cut: IndexCut) -> Spot {
    if cut == .start { return Spot(leaf: 0, number: 0) }
    return spot(of: Entry(key: cut.key, place: cut.isAfter ? .max : .min))
  }

  /// Returns the position after the last entry of a range.
  func spot(ofEnd cut: IndexCut?) -> Spot { cut.map(spot(of:)) ?? Spot(leaf: leaves.count, number: 0) }

  func distance(from start: Spot, to end: Spot) -> Int {
    guard start < end else { return 0 }
    if start.leaf == end.leaf { return end.number - start.number }
    return leaves[start.leaf].count - start.number
      + leaves[start.leaf + 1..<end.leaf].reduce(0) { $0 + $1.count } + end.number
  }

  /// Returns the position of an entry, or its insertion point.
  func spot(of entry: Entry) -> Spot {
    guard !leaves.isEmpty else { return Spot(leaf: 0, number: 0) }
    let leaf = self.leaf(of: entry)
    let number = Self.firstNumber(in: leaves[leaf], notBefore: entry)
    return number == leaves[leaf].count ? Spot(leaf: leaf + 1, number: 0) : Spot(leaf: leaf, number: number)
  }

  /// Returns the leaf of an entry, or the leaf in which to insert it.
  private func leaf(of entry: Entry) -> Int {
    separators.withUnsafeBufferPointer { separators in
      var (low, high) = (0, separators.count)
      while low < high {
        let middle = (low + high) / 2
        if entry < separators[middle] { high = middle } else { low = middle + 1 }
      }
      return max(low - 1, 0)
    }
  }

  private static func firstNumber(in leaf: [Entry], notBefore entry: Entry) -> Int {
    leaf.withUnsafeBufferPointer { leaf in
      var (low, high) = (0, leaf.count)
      while low < high {
        let middle = (low + high) / 2
        if leaf[middle] < entry { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  // MARK: Changing

  mutating func insert(_ entry: Entry) {
    guard !leaves.isEmpty else {
      leaves.append([entry])
      separators.append(entry)
      return
    }
    let leaf = leaf(of: entry)
    let number = Self.firstNumber(in: leaves[leaf], notBefore: entry)
    if leaves[leaf].count < Self.leafSize {
      leaves[leaf].insert(entry, at: number)
      return
    }
    if leaf == leaves.count - 1, number == Self.leafSize {
      // Appended entries start a new leaf, so that ascending values fill their leaves.
      leaves.append([entry])
      separators.append(entry)
      return
    }
    let middle = Self.leafSize / 2
    let upper = Array(leaves[leaf][middle...])
    leaves[leaf].removeSubrange(middle...)
    leaves.insert(upper, at: leaf + 1)
    separators.insert(upper[0], at: leaf + 1)
    if entry < upper[0] {
      leaves[leaf].insert(entry, at: number)
    } else {
      leaves[leaf + 1].insert(entry, at: number - middle)
    }
  }

  /// Removes an entry, and returns whether the index contained it.
  mutating func remove(_ entry: Entry) -> Bool {
    guard !leaves.isEmpty else { return false }
    let leaf = leaf(of: entry)
    let number = Self.firstNumber(in: leaves[leaf], notBefore: entry)
    guard number < leaves[leaf].count, leaves[leaf][number] == entry else { return false }
    leaves[leaf].remove(at: number)
    if leaves[leaf].isEmpty {
      leaves.remove(at: leaf)
      separators.remove(at: leaf)
    } else if leaf > 0, leaves[leaf].count + leaves[leaf - 1].count <= Self.leafSize / 2 {
      leaves[leaf - 1] += leaves[leaf]
      leaves.remove(at: leaf)
      separators.remove(at: leaf)
    }
    return true
  }
}

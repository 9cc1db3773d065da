extension OrderedIndex {
  /// The position of an entry: its leaf, and its index in the leaf.
  struct Position: Comparable {
    var leaf: Int
    var number: Int

    static func < (left: Position, right: Position) -> Bool {
      left.leaf == right.leaf ? left.number < right.number : left.leaf < right.leaf
    }
  }

  func entry(at position: Position) -> Entry? {
    position.leaf < leaves.count ? leaves[position.leaf][position.number] : nil
  }

  func entry(before position: Position) -> Entry? {
    if position.number > 0 { return leaves[position.leaf][position.number - 1] }
    return position.leaf > 0 ? leaves[position.leaf - 1].last : nil
  }

  /// Returns the position of the first entry after a cut.
  func position(of cut: IndexBound) -> Position {
    if cut == .start { return Position(leaf: 0, number: 0) }
    return position(of: Entry(key: cut.key, place: cut.isAfter ? .max : .min))
  }

  /// Returns the position after the last entry of a range.
  func position(ofEnd cut: IndexBound?) -> Position {
    cut.map(position(of:)) ?? Position(leaf: leaves.count, number: 0)
  }

  func distance(from start: Position, to end: Position) -> Int {
    guard start < end else { return 0 }
    if start.leaf == end.leaf { return end.number - start.number }
    return leaves[start.leaf].count - start.number
      + leaves[start.leaf + 1..<end.leaf].reduce(0) { $0 + $1.count } + end.number
  }

  /// Returns the position of an entry, or its insertion point.
  func position(of entry: Entry) -> Position {
    guard !leaves.isEmpty else { return Position(leaf: 0, number: 0) }
    let leaf = self.leaf(of: entry)
    let number = Self.firstNumber(in: leaves[leaf], notBefore: entry)
    return number == leaves[leaf].count ? Position(leaf: leaf + 1, number: 0) : Position(leaf: leaf, number: number)
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

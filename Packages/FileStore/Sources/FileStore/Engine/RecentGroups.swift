@_spi(ModelKitInternals) import StoreProtocol

/// A list of the most recently used groups, with a limit.
struct RecentGroups {
  private let limit: Int

  /// The last use of each group, as the count of all uses at that time.
  private var uses: GroupTable<UInt64> = [:]
  private var count = 0
  private var useCount: UInt64 = 0

  /// - Parameter limit: the largest number of groups; at least 1.
  init(limit: Int) { self.limit = max(limit, 1) }

  /// Records the use of a group.
  ///
  /// - Returns: The group that was removed from the list; nil if the limit is not exceeded.
  /// - Complexity: O(1) for one of the last groups, otherwise O(*n*) in the limit.
  mutating func use(_ group: String) -> String? {
    useCount += 1
    let isKnown = uses[group] != nil
    uses[group] = useCount
    if isKnown { return nil }
    count += 1
    guard count > limit, let oldest = uses.elements.min(by: { $0.value < $1.value })?.group else { return nil }
    _ = uses.removeValue(forKey: oldest)
    count -= 1
    return oldest
  }
}

@_spi(ModelKitInternals) import StoreProtocol

/// The groups that were used last, no more of them than a certain number.
struct RecentGroups {
  private let limit: Int

  /// When each was used last, as the count of all uses then.
  private var uses: GroupTable<UInt64> = [:]
  private var count = 0
  private var useCount: UInt64 = 0

  /// - Parameter limit: how many groups there are at most; at least 1.
  init(limit: Int) { self.limit = max(limit, 1) }

  /// Notes that a group is used.
  ///
  /// - Returns: The group that is none of the last ones any more; nil if there is room for all.
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

#if DEBUG
  public import Synchronization
#endif

/// A position between entries of an index: before or after all entries with a key.
struct IndexBound: Hashable, Comparable, Sendable {
  /// The key.
  let key: IndexKey
  /// Whether the cut is after the entries with the key.
  let isAfter: Bool

  /// Returns the cut before all entries with a key.
  static func before(_ key: IndexKey) -> IndexBound { IndexBound(key: key, isAfter: false) }

  /// Returns the cut after all entries with a key.
  static func after(_ key: IndexKey) -> IndexBound { IndexBound(key: key, isAfter: true) }

  /// The cut before all entries, including those with nil.
  static let start = before(.null)

  /// Returns whether a cut is before another one.
  static func < (left: IndexBound, right: IndexBound) -> Bool {
    left.key == right.key ? !left.isAfter && right.isAfter : left.key < right.key
  }
}

/// The keys between two cuts.
@_spi(ModelKitInternals)
public struct IndexRange: Hashable, Sendable {
  /// The beginning of the range.
  let start: IndexBound
  /// The end of the range; nil for the end of the index.
  let end: IndexBound?

  /// Creates a range.
  init(_ start: IndexBound, _ end: IndexBound?) {
    self.start = start
    self.end = end
  }

  /// Creates the range of one key.
  public init(_ key: IndexKey) { self.init(.before(key), .after(key)) }

  var isEmpty: Bool { end.map { $0 <= start } ?? false }

  /// The key of a range of one key; nil for other ranges.
  var point: IndexKey? {
    guard let end, !start.isAfter, end.isAfter, start.key == end.key else { return nil }
    return start.key
  }

  func contains(_ key: IndexKey) -> Bool { start <= .before(key) && end.map { .before(key) < $0 } ?? true }
}

/// The keys that a field must have where a condition holds: sorted ranges with a gap between each two.
@_spi(ModelKitInternals)
public struct IndexRanges: Hashable, Sendable {
  /// The ranges.
  private(set) var ranges: [IndexRange]
  /// Whether the condition holds for every value in the ranges. Otherwise it can hold for some of them.
  private(set) var isExact: Bool

  /// All keys.
  static let all = IndexRanges([IndexRange(.start, nil)])
  /// No key.
  static let none = IndexRanges([])
  /// The key of nil.
  static let null = IndexRanges([IndexRange(.null)])
  /// All keys except that of nil.
  static let values = IndexRanges([IndexRange(.after(.null), nil)])

  /// Creates sorted ranges from ranges in any order, which can overlap.
  public init(_ ranges: [IndexRange], isExact: Bool = true) {
    Self.noteWork(ranges.count)
    self.isExact = isExact
    self.ranges = []
    for range in ranges.sorted(by: { $0.start < $1.start }) where !range.isEmpty {
      guard let last = self.ranges.last, last.end.map({ range.start <= $0 }) ?? true else {
        self.ranges.append(range)
        continue
      }
      let end = last.end.flatMap { first in range.end.map { max(first, $0) } }
      self.ranges[self.ranges.count - 1] = IndexRange(last.start, end)
    }
  }

  /// The keys, if each range is of one key; otherwise nil.
  var points: [IndexKey]? {
    let points = ranges.compactMap(\.point)
    return points.count == ranges.count ? points : nil
  }

  /// Returns whether a key is in one of the ranges.
  func contains(_ key: IndexKey) -> Bool { ranges.contains { $0.contains(key) } }

  /// Returns the keys that are in either of two sets of ranges.
  func union(_ other: IndexRanges) -> IndexRanges {
    IndexRanges(ranges + other.ranges, isExact: isExact && other.isExact)
  }

  /// Returns the keys that are in both sets of ranges.
  func intersection(_ other: IndexRanges) -> IndexRanges {
    var common: [IndexRange] = []
    var (mine, others) = (ranges[...], other.ranges[...])
    while let first = mine.first, let second = others.first {
      let end: IndexBound?
      switch (first.end, second.end) {
      case (let left?, let right?): end = min(left, right)
      case (let left, let right): end = left ?? right
      }
      common.append(IndexRange(max(first.start, second.start), end))
      if first.end == end { mine.removeFirst() }
      if second.end == end { others.removeFirst() }
    }
    return IndexRanges(common, isExact: isExact && other.isExact)
  }

  /// The keys that are not in these ranges.
  var complement: IndexRanges {
    var others: [IndexRange] = []
    var start: IndexBound? = .start
    for range in ranges {
      if let start { others.append(IndexRange(start, range.start)) }
      start = range.end
    }
    if let start { others.append(IndexRange(start, nil)) }
    return IndexRanges(others, isExact: isExact)
  }

  /// The same ranges, but inexact: it is not known whether the condition holds for their keys.
  var inexact: IndexRanges {
    var ranges = self
    ranges.isExact = false
    return ranges
  }
}

extension IndexRanges {
  /// Returns the keys that are in at least one of these; nil if one of them is unknown.
  ///
  /// - Complexity: O(*n* log *n*) in the number of ranges.
  static func union(ofKnown all: [IndexRanges?]) -> IndexRanges? {
    let known = all.compactMap { $0 }
    guard known.count == all.count else { return nil }
    return IndexRanges(known.flatMap(\.ranges), isExact: known.allSatisfy(\.isExact))
  }

  /// Returns the keys that are in all known ranges; nil if all are unknown.
  ///
  /// - Complexity: O(*n* log² *n*) in the number of ranges.
  static func intersection(ofKnown all: [IndexRanges?]) -> IndexRanges? {
    var known = all.compactMap { $0 }
    let isComplete = known.count == all.count
    while known.count > 1 {
      known = stride(from: 0, to: known.count, by: 2).map { number in
        number + 1 < known.count ? known[number].intersection(known[number + 1]) : known[number]
      }
    }
    return isComplete ? known.first : known.first?.inexact
  }
}

extension IndexRanges {
  #if DEBUG
    /// A number of ranges that were combined, for tests of the work that planning takes.
    public final class WorkCounter: Sendable {
      /// The number.
      public let count = Atomic<Int>(0)

      /// Creates a counter with 0.
      public init() {}
    }

    /// The counter of the current task; nil for none.
    @TaskLocal public static var workCounter: WorkCounter?
  #endif

  /// Counts ranges that are combined. A release build does not count.
  @inline(__always)
  private static func noteWork(_ count: Int) {
    #if DEBUG
      workCounter?.count.add(count, ordering: .relaxed)
    #endif
  }
}

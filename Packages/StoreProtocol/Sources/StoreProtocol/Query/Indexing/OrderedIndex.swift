/// An index of records by a field, in the order of the values. Records with equal values are in the order of their
/// creation. An index of words has an entry for each word of a record.
///
/// The index identifies a record by its place: an integer that is larger the later the record was created. A copy of an
/// index is a snapshot. It costs nothing, and a later change copies only the leaves that it modifies.
///
/// ```swift
/// var index = OrderedIndex()
/// index.insert(field.key(in: bytes), place)
/// index.places(in: IndexRanges([IndexRange(.before(IndexKey(18)), nil)]))
/// ```
@_spi(ModelKitInternals)
public struct OrderedIndex: Sendable {
  struct Entry: Comparable, Sendable {
    let key: IndexKey
    let place: Int

    @inline(__always)
    static func < (left: Entry, right: Entry) -> Bool {
      left.key == right.key ? left.place < right.place : left.key < right.key
    }

    @inline(__always)
    static func == (left: Entry, right: Entry) -> Bool { left.place == right.place && left.key == right.key }
  }

  /// The largest number of entries in a leaf. A leaf is contiguous in memory, so that an insertion moves few entries.
  static let leafSize = 128

  /// All entries in their order, in leaves that are not empty.
  var leaves: [[Entry]] = []
  /// A lower bound of each leaf: no entry of the leaf is less, and all entries of the previous leaves are less.
  var separators: [Entry] = []
  /// The places of records whose value can't be read.
  private var unreadable: Set<Int> = []
  /// The number of records.
  var count = 0

  /// Creates an empty index.
  package init() {}

  /// Creates an index of many records at once.
  ///
  /// - Complexity: O(*n* log *n*).
  public init(_ keys: some Sequence<(key: IndexKey?, place: Int)>) {
    var entries: [Entry] = []
    for (key, place) in keys {
      count += 1
      if let key {
        key.forEachEntry { entries.append(Entry(key: $0, place: place)) }
      } else {
        unreadable.insert(place)
      }
    }
    entries.sort()
    var start = 0
    while start < entries.count {
      let end = min(start + Self.leafSize * 3 / 4, entries.count)
      leaves.append(Array(entries[start..<end]))
      separators.append(entries[start])
      start = end
    }
  }

  /// Whether all values could be read. Otherwise a query has to read the records, which throws the error.
  var isComplete: Bool { unreadable.isEmpty }

  // MARK: Changing

  /// Adds a record. The key is nil if the value can't be read.
  ///
  /// - Complexity: O(log *n*).
  public mutating func insert(_ key: IndexKey?, _ place: Int) {
    count += 1
    guard let key else {
      unreadable.insert(place)
      return
    }
    key.forEachEntry { insert(Entry(key: $0, place: place)) }
  }

  /// Removes a record by the key with which it was added.
  ///
  /// - Complexity: O(log *n*).
  public mutating func remove(_ key: IndexKey?, _ place: Int) {
    if let key {
      var isRemoved = false
      key.forEachEntry { if remove(Entry(key: $0, place: place)) { isRemoved = true } }
      if isRemoved { count -= 1 }
    } else if unreadable.remove(place) != nil {
      count -= 1
    }
  }

  /// Removes a record whose key is unknown.
  ///
  /// - Complexity: O(*n*).
  public mutating func remove(_ place: Int) {
    let entries = leaves.lazy.joined().filter { $0.place == place }
    guard !entries.isEmpty else { return remove(nil, place) }
    for entry in Array(entries) { _ = remove(entry) }
    count -= 1
  }

  // MARK: Lookup

  /// Returns the first record with a key; nil if there is none.
  ///
  /// - Complexity: O(log *n*).
  public func first(_ key: IndexKey) -> Int? {
    let position = position(of: .before(key))
    guard let entry = entry(at: position), entry.key == key else { return nil }
    return entry.place
  }

  /// The first two records with the same value; nil if all values differ. Records without a value are left out.
  ///
  /// - Complexity: O(*n*).
  public var firstDuplicate: (place: Int, other: Int)? {
    var last: Int?
    var found: (place: Int, other: Int)?
    forEach(in: .values) { place, isNewKey in
      if !isNewKey, let last { found = (place, last) }
      last = place
      return found == nil
    }
    return found
  }

  /// Returns the number of records with keys in ranges.
  ///
  /// - Complexity: O(log *n*), plus a small fraction of the number of records.
  func count(in ranges: IndexRanges) -> Int {
    ranges.ranges.reduce(0) { $0 + distance(from: position(of: $1.start), to: position(ofEnd: $1.end)) }
  }

  /// Returns the records with keys in ranges, by key.
  ///
  /// - Complexity: O(log *n* + *m*) for *m* records.
  func places(in ranges: IndexRanges) -> [Int] {
    var places: [Int] = []
    forEach(in: ranges) { place, _ in
      places.append(place)
      return true
    }
    return places
  }

  func go(from start: Position, to end: Position, _ body: (Int, Bool) throws -> Bool) rethrows -> Bool {
    var key: IndexKey?
    var position = start
    while position < end {
      let leaf = leaves[position.leaf]
      let stop = position.leaf == end.leaf ? end.number : leaf.count
      for number in position.number..<stop {
        let entry = leaf[number]
        let isNewKey = key != entry.key
        if isNewKey { key = entry.key }
        guard try body(entry.place, isNewKey) else { return false }
      }
      position = Position(leaf: position.leaf + 1, number: 0)
    }
    return true
  }
}

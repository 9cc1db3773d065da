import FieldKit

/// The order in which entries are sent: one lane per record, and edges for what a record needs on the server first.
struct Schedule {
  /// An entry with the records that its local record references.
  struct Item {
    var entry: OutboxEntry
    var references: Set<String>
    var name: String { OutboxEntry.recordIdentifier(entry.type, entry.identifier) }
  }

  private let items: [Item]
  private let indexes: [String: Int]

  /// Creates a schedule.
  ///
  /// - Parameter items: the entries in the order in which their records became dirty.
  init(_ items: [Item]) {
    self.items = items
    indexes = Dictionary(items.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the names of the records whose entries can be sent now.
  ///
  /// An entry waits for the creation of each record that it references, and for the earlier entries of its transactions. Parked
  /// entries hold those that wait for them, and no others.
  ///
  /// - Complexity: O(*n* + *e*) in the number of entries and of edges, for each entry in a cycle of references O(*n*) more.
  var ready: [String] {
    var earlier: [String: [Int]] = [:]
    var ready: [String] = []
    for (index, item) in items.enumerated() {
      let groups = Set(item.entry.groups)
      let before = groups.flatMap { earlier[$0] ?? [] }
      for group in groups { earlier[group, default: []].append(index) }
      if item.entry.isParked { continue }
      if creations(of: index).contains(where: { !needs($0, index) || $0 < index }) { continue }
      if before.contains(where: { !needs($0, index) }) { continue }
      ready.append(item.name)
    }
    return ready
  }

  /// The entries that create a record which an entry references.
  private func creations(of index: Int) -> [Int] {
    items[index].references.compactMap { indexes[$0] }.filter { $0 != index && items[$0].entry.base == nil }
  }

  /// Returns whether an entry references another one, directly or through other creations.
  private func needs(_ index: Int, _ other: Int) -> Bool {
    var (seen, open): (Set<Int>, [Int]) = ([index], [index])
    while let next = open.popLast() {
      for each in creations(of: next) where seen.insert(each).inserted {
        if each == other { return true }
        open.append(each)
      }
    }
    return false
  }
}

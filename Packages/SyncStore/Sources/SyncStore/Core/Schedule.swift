import FieldKit
@_spi(ModelKitInternals) import ModelCore

/// The order in which entries are sent: one lane per record, and edges for what a record needs on the server first.
struct Schedule {
  /// An entry with the records that its local record references.
  struct Item {
    let entry: OutboxEntry
    /// The name of the record of the entry.
    let name: ExactText
    var references: Set<ExactText>
    /// The records that the server's record references, or may reference after a request without an answer.
    var formerReferences: Set<ExactText> = []
    /// Whether the record is to be deleted.
    var isDeletion = false

    init(entry: OutboxEntry, references: Set<ExactText>) {
      (self.entry, self.references) = (entry, references)
      name = entry.name
    }
  }

  /// An entry in the order of sending, with the entries that have to be sent before it.
  struct Step: Equatable {
    var name: ExactText
    var isParked: Bool
    /// The names of entries, all of earlier steps.
    var waitsFor: [ExactText]
  }

  private let items: [Item]
  private let indexes: [ExactText: Int]

  /// Creates a schedule.
  ///
  /// - Parameter items: the entries in the order in which their records became dirty.
  init(_ items: [Item]) {
    self.items = items
    indexes = Dictionary(items.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The names of the records whose entries can be sent now.
  var ready: [String] { steps.filter { !$0.isParked && $0.waitsFor.isEmpty }.map(\.name.text) }

  /// All entries, each after those that it waits for.
  ///
  /// An entry waits for the creation of each record that it references. It also waits for the earlier entries of its
  /// transactions that do not wait for it. A deletion waits for the entries of records that reference the deleted one
  /// on the server. Parked entries hold those that wait for them, and no others. In a cycle of references the last one
  /// that is found is left aside.
  ///
  /// - Complexity: O(*n* + *e*) in the number of entries and of edges, and for each entry O(*m*) in the number of those
  ///   that wait for it.
  var steps: [Step] {
    enum Progress { case untouched, open, done }
    let edges = self.edges
    var progress = [Progress](repeating: .untouched, count: items.count)
    var steps: [Step] = []
    steps.reserveCapacity(items.count)
    for start in items.indices where progress[start] == .untouched {
      // A chain of references can be as long as the outbox, so there is no recursion.
      var stack: [(index: Int, next: Int, waitsFor: [ExactText])] = [(start, 0, [])]
      progress[start] = .open
      while var top = stack.popLast() {
        guard top.next < edges[top.index].count else {
          progress[top.index] = .done
          let item = items[top.index]
          steps.append(Step(name: item.name, isParked: item.entry.isParked, waitsFor: top.waitsFor))
          continue
        }
        let other = edges[top.index][top.next]
        switch progress[other] {
        case .untouched:
          stack.append(top)
          stack.append((other, 0, []))
          progress[other] = .open
        case .open:
          top.next += 1
          stack.append(top)
        case .done:
          top.next += 1
          top.waitsFor.append(items[other].name)
          stack.append(top)
        }
      }
    }
    return steps
  }

  /// The entries that each entry waits for. The creations that it references are first, then those that have to be sent
  /// before its deletion. The one before it in each group is last.
  private var edges: [[Int]] {
    let creations = items.indices.map { index in
      items[index].references.sorted { $0.text < $1.text }.compactMap { indexes[$0] }
        .filter { $0 != index && items[$0].entry.isAwaited }
    }
    // A server cuts or rejects the references to a record that it deletes.
    var removals = [Set<Int>](repeating: [], count: items.count)
    for (index, item) in items.enumerated() {
      for deleted in item.formerReferences.sorted(by: { $0.text < $1.text }).compactMap({ indexes[$0] })
      where deleted != index && items[deleted].isDeletion {
        removals[deleted].insert(index)
      }
    }
    var edges = zip(creations, removals).map { $0 + $1.sorted() }
    var dependants = [[Int]](repeating: [], count: items.count)
    for (index, others) in edges.enumerated() {
      for other in others { dependants[other].append(index) }
    }
    var members: [String: [Int]] = [:]
    // The last entry for which each one was found to wait.
    var needed = [Int](repeating: -1, count: items.count)
    for (index, item) in items.enumerated() where !item.entry.groups.isEmpty {
      // A reference is stronger than the order of a transaction: an entry waits for none that waits for it.
      var open = [index]
      while let next = open.popLast() {
        for each in dependants[next] where needed[each] != index {
          needed[each] = index
          open.append(each)
        }
      }
      for group in Set(item.entry.groups).sorted() {
        if let before = members[group]?.last(where: { needed[$0] != index }), !edges[index].contains(before) {
          edges[index].append(before)
          dependants[before].append(index)
        }
        members[group, default: []].append(index)
      }
    }
    return edges
  }
}

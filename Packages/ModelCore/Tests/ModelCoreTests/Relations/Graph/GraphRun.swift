@_spi(ModelKitInternals) import ModelCore

/// Does the same to real nodes and to the reference, and says where they differ.
final class GraphRun {
  private let count = 8
  private let scope = ModelScope()
  private var generator: SeededGenerator
  private var reference = ReferenceGraph()
  private var held: [Node?]
  private var seen: [Weak]
  private var identifiers: [Int]
  private var nextIdentifier = 1_000
  private var reports: [(node: Int, side: Side, old: [Int], new: [Int])] = []

  private struct Weak {
    weak var node: Node?
  }

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    held = Array(repeating: nil, count: count)
    seen = Array(repeating: Weak(), count: count)
    identifiers = Array(0..<count)
    for number in 0..<count { _ = meet(number) }
  }

  /// Performs one operation.
  ///
  /// - Returns: what went wrong, if anything did.
  func step(checksAll: Bool) -> String? {
    let number = Int.random(in: 0..<count, using: &generator)
    guard reference.alive.contains(number) else { return make(number) }
    reports = []
    let before = reference
    // In a function of its own: its variables keep nodes alive.
    let what = perform(on: number)
    let fault = faultInReports(before)
    reports = []
    return (fault ?? settle(checksAll ? nil : [number])).map { "\(what) on \(number): \($0)" }
  }

  private func perform(on number: Int) -> String {
    guard let node = seen[number].node else { return "nothing" }
    let kind = Int.random(in: 0..<100, using: &generator)
    switch kind {
    case 0..<60: return change(node, kind)
    case 60..<70: return read(node)
    case 70..<75:
      nextIdentifier += 1
      identifiers[number] = nextIdentifier
      node.id.value = nextIdentifier
      reference.changeIdentifier(number)
      return "new identifier"
    case 75..<90:
      node.markSaved(node.fields, asOf: .next())
      reference.save(number)
      return "save"
    case 90..<97:
      held[number] = nil
      reference.held.remove(number)
      return "let go"
    default:
      held[number] = node
      reference.held.insert(number)
      return "hold"
    }
  }

  /// Cuts every link and lets every node go.
  ///
  /// - Returns: how many are still there.
  func end() -> Int {
    for number in 0..<count {
      guard let node = seen[number].node else { continue }
      for side in Side.allCases {
        node.toOne(side)?.value = nil
        node.toMany(side)?.value = nil
      }
    }
    reports = []
    held = []
    for number in 0..<count {
      guard let node = seen[number].node else { continue }
      node.markSaved(node.fields, asOf: .next())
    }
    return seen.count { $0.node != nil } + scope.unsavedModels.count
  }

  // MARK: Operations

  private func make(_ number: Int) -> String? {
    nextIdentifier += 1
    identifiers[number] = nextIdentifier
    let isNew = Bool.random(using: &generator)
    if isNew {
      let node = Node()
      node.id.value = nextIdentifier
      held[number] = node.canonicalInstance(in: scope)
    } else {
      held[number] = .with(identifier: String(nextIdentifier), in: scope)
    }
    if let node = held[number] { adopt(node, number) }
    reference.make(number, isNew: isNew)
    reference.held.insert(number)
    return settle([number])
  }

  private func meet(_ number: Int) -> Node {
    let node = Node.with(identifier: String(identifiers[number]), in: scope)
    adopt(node, number)
    held[number] = node
    reference.make(number, isNew: false)
    reference.held.insert(number)
    return node
  }

  private func adopt(_ node: Node, _ number: Int) {
    node.number = number
    seen[number].node = node
    node.observe { [unowned self, unowned node] side, old, new in
      reports.append((node.number, side, old.map(\.number), new.map(\.number)))
    }
  }

  private func change(_ node: Node, _ kind: Int) -> String {
    let side = Side.allCases.randomElement(using: &generator) ?? .left
    var others = (0..<Int.random(in: 0...3, using: &generator)).map { _ in Int.random(in: 0..<count, using: &generator)
    }
    others = others.filter { $0 != node.number && reference.alive.contains($0) }
    let nodes = others.compactMap { seen[$0].node }
    if let field = node.toOne(side) {
      field.value = nodes.first
      reference.assign(node.number, side, Array(others.prefix(1)))
      return "\(side) = \(others.prefix(1))"
    }
    guard let field = node.toMany(side) else { return "" }
    switch kind {
    case 0..<10:
      for node in nodes { field.remove(node) }
      reference.remove(node.number, side, others)
      // One call for each operation.
      mergeReports()
      return "remove \(others) from \(side)"
    case 10..<20:
      field.remove(contentsOf: nodes)
      reference.remove(node.number, side, others)
      return "remove all of \(others) from \(side)"
    case 20..<35:
      field.add(contentsOf: nodes)
      reference.add(node.number, side, others)
      return "add \(others) to \(side)"
    case 35..<40:
      let other = nodes.first ?? node
      let list = reference.list(other.number, side).filter { $0 != node.number }
      field.value = (other.toMany(side)?.value ?? []).filter { $0 !== node }
      reference.assign(node.number, side, list)
      return "move \(list) to \(side)"
    case 40..<45:
      field.value?.append(contentsOf: nodes)
      if !reference.isNil(node.number, side) {
        reference.assign(node.number, side, reference.list(node.number, side) + others)
      }
      return "append \(others) to \(side)"
    case 45..<50:
      field.value = kind == 45 ? nil : []
      reference.assign(node.number, side, kind == 45 ? nil : [])
      return "empty \(side)"
    default:
      field.value = nodes
      reference.assign(node.number, side, others)
      return "\(side) = \(others)"
    }
  }

  private func read(_ node: Node) -> String {
    // A new model that is read is no longer new, and not saved either: a matter of its own.
    guard !reference.isUnsaved(node.number) else { return "nothing" }
    let side = Side.allCases.randomElement(using: &generator) ?? .left
    let others = (0..<count).filter { other in
      other != node.number && reference.alive.contains(other) && Int.random(in: 0..<4, using: &generator) == 0
    }
    do {
      if side.isMany {
        try node.read([side.rawValue: .array(others.map { .int(identifiers[$0]) })])
      } else {
        try node.read([side.rawValue: others.first.map { .int(identifiers[$0]) } ?? .null])
      }
    } catch {
      return "reading \(error)"
    }
    reference.assign(node.number, side, side.isMany ? others : Array(others.prefix(1)), isRead: true)
    return "read \(side) = \(others)"
  }

  // MARK: Checks

  private func mergeReports() {
    var merged: [(node: Int, side: Side, old: [Int], new: [Int])] = []
    for report in reports {
      if let index = merged.firstIndex(where: { $0.node == report.node && $0.side == report.side }) {
        merged[index].new = report.new
      } else {
        merged.append(report)
      }
    }
    reports = merged
  }

  /// Whether exactly the fields that changed were announced, once each, with the right values.
  private func faultInReports(_ before: ReferenceGraph) -> String? {
    var changes = 0
    for place in Set(before.lists.keys).union(reference.lists.keys) where reference.differs(from: before, at: place) {
      changes += 1
    }
    for report in reports {
      let old = before.list(report.node, report.side)
      let new = reference.list(report.node, report.side)
      let place = ReferenceGraph.Place(node: report.node, side: report.side)
      if report.old != old || report.new != new || !reference.differs(from: before, at: place) {
        return "\(report.side) of \(report.node) was announced as \(report.old) to \(report.new), not \(old) to \(new)"
      }
    }
    return changes == reports.count ? nil : "\(changes) fields changed, \(reports.count) were announced"
  }

  /// Lets those die who have to, meets those again who left their identifiers, and compares.
  private func settle(_ numbers: [Int]?) -> String? {
    var dangling = reference.bury()
    while let link = dangling.first {
      dangling.removeFirst()
      guard let node = seen[link.place.node].node else { return "\(link.place.node) is gone" }
      guard let shell = node.toOne(link.place.side)?.value, shell.id.value == identifiers[link.other] else {
        return "\(link.place.side) of \(link.place.node) forgot \(link.other)"
      }
      guard seen[link.other].node === shell || shell.loadState == .incomplete else { return "no shell" }
      if seen[link.other].node == nil { adopt(shell, link.other) }
      reference.revive(link.other, metBy: link.place.node, link.place.side)
    }
    for number in 0..<count {
      guard (seen[number].node != nil) == reference.alive.contains(number) else {
        return "\(number) should be \(reference.alive.contains(number) ? "alive" : "gone")"
      }
    }
    for number in numbers ?? Array(0..<count) {
      guard let node = seen[number].node else { continue }
      for side in Side.allCases where node.list(side).map(\.number) != reference.list(number, side) {
        return "\(side) of \(number) is \(node.list(side).map(\.number)), not \(reference.list(number, side))"
      }
      let canonical = Node.with(identifier: String(identifiers[number]), in: scope)
      if canonical !== node { return "\(number) is not found by its identifier" }
      if node.isDirty, !reference.isUnsaved(number) { return "\(number) should not be dirty" }
    }
    return nil
  }
}

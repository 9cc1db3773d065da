@_spi(ModelKitInternals) import ModelCore

/// A run that performs the same operations on real nodes and on the reference, and compares them.
final class GraphRun {
  private let count = 8
  private let scope = ModelScope()
  private var generator: SeededGenerator
  private var reference = ReferenceGraph()
  private var held: [Node?]
  private var seen: [Weak]
  private var identifiers: [Int]
  private var savedIdentifiers: [Int]
  private var nextIdentifier = 1_000
  private var reports: [Report] = []
  /// The nodes created during the operation, which have no observers.
  private var newcomers: Set<Int> = []
  private var failure: String?

  private struct Report {
    let node: Int
    let side: Side
    let old: [Node]
    var new: [Node]
  }

  private struct Weak {
    weak var node: Node?
  }

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    held = Array(repeating: nil, count: count)
    seen = Array(repeating: Weak(), count: count)
    identifiers = Array(0..<count)
    savedIdentifiers = identifiers
    for number in 0..<count { _ = meet(number) }
  }

  /// Performs one operation.
  ///
  /// - Returns: the difference from the reference, if any.
  func step(checksAll: Bool) -> String? {
    let number = Int.random(in: 0..<count, using: &generator)
    guard reference.alive.contains(number) else { return reference.isRemembered(number) ? nil : make(number) }
    reports = []
    newcomers = []
    let before = reference
    // In a separate function, because its variables retain nodes.
    let what = perform(on: number)
    let fault = failure ?? faultInReports(before)
    reports = []
    return (fault ?? settle(checksAll ? nil : [number])).map { "\(what) on \(number): \($0)" }
  }

  private func perform(on number: Int) -> String {
    reference.changeNothing()
    guard let node = seen[number].node else { return "nothing" }
    let kind = Int.random(in: 0..<100, using: &generator)
    switch kind {
    case 0..<50: return change(node, kind)
    case 50..<58: return read(node)
    case 58..<62:
      node.unload()
      reference.unload(number)
      return "unload"
    case 62..<69: return revert(node)
    case 69..<73: return copy(node)
    case 73..<76:
      if reference.isRemembered(number) { return "nothing" }
      nextIdentifier += 1
      identifiers[number] = nextIdentifier
      node.id.value = nextIdentifier
      reference.changeIdentifier(number)
      return "new identifier"
    case 76..<90:
      node.markSaved(node.fields, asOf: .next())
      reference.save(number)
      savedIdentifiers[number] = identifiers[number]
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

  /// Cuts every link and releases every node.
  ///
  /// - Returns: the number of remaining nodes.
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

  private func fail(_ what: String) -> String {
    failure = what
    return "copy"
  }

  // MARK: Operations

  private func make(_ number: Int) -> String? {
    nextIdentifier += 1
    identifiers[number] = nextIdentifier
    savedIdentifiers[number] = nextIdentifier
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
    // The observer is also notified if the operation released the last reference to the node.
    node.observe { [unowned self] side, old, new in
      reports.append(Report(node: number, side: side, old: old, new: new))
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
    // A new model that is read is neither new nor saved, a case that is not covered here.
    guard !reference.new.contains(node.number) else { return "nothing" }
    let side = Side.allCases.randomElement(using: &generator) ?? .left
    let others = (0..<count).filter { other in
      other != node.number && reference.alive.contains(other) && Int.random(in: 0..<4, using: &generator) == 0
    }
    do {
      if side.isMany {
        try node.read([side.key: .array(others.map { .int(identifiers[$0]) })])
      } else {
        try node.read([side.key: others.first.map { .int(identifiers[$0]) } ?? .null])
      }
    } catch {
      return "reading \(error)"
    }
    reference.assign(node.number, side, side.isMany ? others : Array(others.prefix(1)), isRead: true)
    return "read \(side) = \(others)"
  }

  private func revert(_ node: Node) -> String {
    let number = node.number
    node.revert()
    if !reference.new.contains(number) { identifiers[number] = savedIdentifiers[number] }
    for link in reference.revert(number) {
      newcomers.insert(link.other)
      let shells = (seen[link.place.node].node?.list(link.place.side) ?? []).filter {
        $0.id.value == identifiers[link.other]
      }
      if seen[link.other].node == nil, let unloadedReference = shells.first { adopt(unloadedReference, link.other) }
    }
    return "revert"
  }

  /// Copies a node and reverts the copy, which must not change the graph.
  private func copy(_ node: Node) -> String {
    let number = node.number
    let copy = node.copy()
    for side in Side.allCases where copy.list(side) != node.list(side) { return fail("\(side) of a copy differs") }
    if copy.isDirty != node.isDirty { return fail("a copy has other changes") }
    copy.revert()
    for side in Side.allCases {
      let list = reference.listToRevertTo(number, side)
      if copy.list(side).map(\.id.value) != list.map({ identifiers[$0] }) {
        return fail("\(side) of a copy is \(copy.list(side).map(\.id.value)), not \(list) of \(identifiers)")
      }
    }
    return "copy"
  }

  // MARK: Checks

  private func mergeReports() {
    var merged: [Report] = []
    for report in reports {
      if let index = merged.firstIndex(where: { $0.node == report.node && $0.side == report.side }) {
        merged[index].new = report.new
      } else {
        merged.append(report)
      }
    }
    reports = merged
  }

  /// Returns a description of the fault unless exactly the changed fields were announced, once each, with the right
  /// values. A node that the operation released may be deallocated before the notification, which then lacks it.
  private func faultInReports(_ before: ReferenceGraph) -> String? {
    var expected: Set<Int> = []
    for index in reference.touched where !newcomers.contains(index >> 3) && reference.differs(from: before, at: index) {
      expected.insert(index)
    }
    for report in reports {
      let old = before.list(report.node, report.side).filter { seen[$0].node != nil }
      let new = reference.list(report.node, report.side).filter { seen[$0].node != nil }
      let place = ReferenceGraph.Place(node: report.node, side: report.side)
      let announced = (report.old.map(\.number), report.new.map(\.number))
      if announced.0 != old || announced.1 != new || !reference.differs(from: before, at: place.index) {
        return
          "\(report.side) of \(report.node) was announced as \(announced.0) to \(announced.1), not \(old) to \(new)"
      }
    }
    let announced = reports.map { ReferenceGraph.Place(node: $0.node, side: $0.side).index }
    let missing = expected.subtracting(announced).filter { seen[$0 >> 3].node != nil }
    if missing.isEmpty, Set(announced).count == announced.count { return nil }
    return "\(expected.count) fields changed, announced were \(reports.map { "\($0.side) of \($0.node)" })"
  }

  /// Deallocates nodes as the reference does, creates those again that are referenced by identifier, and compares.
  private func settle(_ numbers: [Int]?) -> String? {
    var dangling = reference.bury()
    while let link = dangling.first {
      dangling.removeFirst()
      guard let node = seen[link.place.node].node else { return "\(link.place.node) is gone" }
      guard let unloadedReference = node.toOne(link.place.side)?.value,
        unloadedReference.id.value == identifiers[link.other]
      else {
        return "\(link.place.side) of \(link.place.node) lost \(link.other)"
      }
      guard seen[link.other].node === unloadedReference || unloadedReference.loadState == .incomplete else {
        return "no unloaded reference"
      }
      if seen[link.other].node == nil { adopt(unloadedReference, link.other) }
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
      for side in Side.allCases where node.field(side)?.isDirty != reference.isDirty(number, side) {
        return "\(side) of \(number) should \(reference.isDirty(number, side) ? "" : "not ")be dirty"
      }
      if scope.unsavedModels.contains(node) != reference.isUnsaved(number) {
        return "\(number) should \(reference.isUnsaved(number) ? "" : "not ")be kept until it is saved"
      }
    }
    return nil
  }
}

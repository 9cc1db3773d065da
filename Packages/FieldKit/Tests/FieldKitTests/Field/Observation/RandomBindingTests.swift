import FieldKit
import Testing

/// Graphs of fields and plain sources with random bindings, sets, transactions and removals, held against a model.
///
/// The rules, as the model has them:
///
/// 1. A node has a value and the stamp of its last set. `set` creates a new stamp, newer than all before.
/// 2. A node that is set to a different value notifies its bindings and observers before the set returns, in the order
///   of their addition.
/// 3. A binding passes the value on with the stamp of its origin. The target takes it if the stamp is newer than its
///    own, and then proceeds as in 2. So a value reaches each node at most once, and every ring ends.
/// 4. A transform is a node of its own between two: it takes every change, and passes on what differs.
/// 5. A new binding passes its value on at once with a new stamp, unless the source was never set. `<-->` is such a
///    binding from right to left, followed by one from left to right that passes nothing on at first. A value that is
///    set during that first delivery is passed on afterwards.
/// 6. An observer is called at once with the current value as old and new. Every change calls it with the old and the
///   new value, until its token is cancelled, it is removed, or the node is deallocated.
/// 7. In a transaction sets take effect at once, but nothing is passed on. At its end nodes pass their last values on
///    in the order of their first changes. A node that changes meanwhile is queued again. A transform is left out if
///    the value was restored before it was ever passed on; bindings are not. Observers are called once at the end, in
///    the order of their nodes' first changes. They get the value before the transaction and the last one, unless these
///    are equal.
private final class ModelNode {
  var value: Int?
  var stamp = 0
  var isUnset: Bool
  var isAlive = true
  var transform: ((Int?) -> Int?)?
  var links: [Link] = []
  /// The stamp of the last change, which is passed on by a transaction.
  var changedAt = 0
  var pending: Pending?
  var isHandingOn = false
  var waiting: [(old: Int?, new: Int?, stamp: Int)] = []

  struct Pending {
    let old: Int?
    var hasFlowed = false
    var flowsAgain = false
  }

  enum Link {
    case node(Int, id: Int)
    case observer(Int)

    func isIdentical(to other: Int) -> Bool {
      switch self {
      case .node(_, let id): id == other
      case .observer(let id): id == other
      }
    }
  }

  init(_ value: Int?, isUnset: Bool) {
    self.value = value
    self.isUnset = isUnset
  }
}

private final class Model {
  var nodes: [ModelNode] = []
  var logs: [Int: [Change<Int?>]] = [:]
  private var clock = 0
  private var isInTransaction = false
  private var changed: [Int] = []
  private var flowing: [Int] = []

  func set(_ index: Int, to value: Int?) {
    clock += 1
    store(index, value, clock)
  }

  func bind(_ source: Int, _ target: Int, id: Int, copies: Bool = true) {
    nodes[source].links.append(.node(target, id: id))
    if copies, !nodes[source].isUnset {
      clock += 1
      nodes[source].isHandingOn = true
      store(target, nodes[source].value, clock)
      nodes[source].isHandingOn = false
      let waiting = nodes[source].waiting
      nodes[source].waiting = []
      for change in waiting { tell(source, change.old, change.new, change.stamp) }
    }
  }

  /// Rule 4: the intermediate node comes last in the list of nodes.
  func bind(_ source: Int, _ target: Int, id: Int, transform: @escaping (Int?) -> Int?) {
    let middle = ModelNode(transform(nodes[source].value), isUnset: nodes[source].isUnset)
    middle.transform = transform
    nodes.append(middle)
    nodes[source].links.append(.node(nodes.count - 1, id: id))
    bind(nodes.count - 1, target, id: id)
  }

  func observe(_ index: Int, id: Int) {
    nodes[index].links.append(.observer(id))
    logs[id] = [Change(nodes[index].value, nodes[index].value)]
  }

  func remove(_ id: Int) {
    for node in nodes { node.links.removeAll { $0.isIdentical(to: id) } }
  }

  func transaction(_ body: () -> Void) {
    isInTransaction = true
    body()
    var next = 0
    while next < flowing.count {
      let index = flowing[next]
      next += 1
      flow(index)
    }
    isInTransaction = false
    for index in changed {
      guard let pending = nodes[index].pending else { continue }
      nodes[index].pending = nil
      let value = nodes[index].value
      if pending.old != value { tell(index, pending.old, value, nil) }
    }
    (changed, flowing) = ([], [])
  }

  private func flow(_ index: Int) {
    let node = nodes[index]
    guard let pending = node.pending else { return }
    node.pending?.hasFlowed = true
    node.pending?.flowsAgain = true
    let (value, stamp) = (node.value, node.changedAt)
    for case .node(let target, _) in node.links {
      if nodes[target].transform != nil, !pending.flowsAgain, pending.old == value { continue }
      take(target, value, stamp)
    }
  }

  private func take(_ index: Int, _ value: Int?, _ stamp: Int) {
    let node = nodes[index]
    guard node.isAlive else { return }
    if let transform = node.transform {
      store(index, transform(value), stamp)
    } else if stamp > node.stamp {
      store(index, value, stamp)
    }
  }

  private func store(_ index: Int, _ value: Int?, _ stamp: Int) {
    let node = nodes[index]
    let old = node.value
    node.value = value
    node.stamp = stamp
    node.isUnset = false
    guard old != value else { return }
    node.changedAt = stamp
    if node.isHandingOn { return node.waiting.append((old, value, stamp)) }
    guard isInTransaction else { return tell(index, old, value, stamp) }
    if node.links.isEmpty { return }
    if node.pending == nil {
      node.pending = ModelNode.Pending(old: old)
      changed.append(index)
      flowing.append(index)
    } else if node.pending?.hasFlowed == true {
      node.pending?.hasFlowed = false
      flowing.append(index)
    }
  }

  /// Notifies observers, and bindings if there is a stamp to pass on.
  private func tell(_ index: Int, _ old: Int?, _ new: Int?, _ stamp: Int?) {
    for link in nodes[index].links {
      switch link {
      case .observer(let id): logs[id]?.append(Change(old, new))
      case .node(let target, _): if let stamp { take(target, new, stamp) }
      }
    }
  }
}

private protocol Bindable: ValueObservable, ValueObserver where Value == Int? {
  var value: Int? { get set }
}

extension Field: Bindable where Content == Int {}
extension ValueSource: Bindable where Value == Int? {}

private func bind(_ left: some Bindable, _ right: some Bindable) { left --> right }
private func pair(_ left: some Bindable, _ right: some Bindable) { left <--> right }
private func bind(_ left: some Bindable, _ right: some Bindable, _ transform: @escaping (Int?) -> Int?) {
  left.map(transform) --> right
}
private func unbind(_ left: some Bindable, _ right: some Bindable) { left -/-> right }
private func observe(_ node: some Bindable, _ action: @escaping (Int?, Int?) -> Void) -> ObservationToken {
  node.addObserver(action: action)
}

/// One case: a graph and what is done with it.
private struct RandomCase {
  var generator: SeededGenerator
  let model = Model()
  var nodes: [(any Bindable)?] = []
  var logs: [Int: Log] = [:]
  var tokens: [Int: (node: Int, token: ObservationToken)] = [:]
  var bindings: [Int: (from: Int, to: Int)] = [:]
  var nextID = 0

  final class Log { var changes: [Change<Int?>] = [] }

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let initial = Int.random(in: 0...4, using: &generator)
      switch Int.random(in: 0...2, using: &generator) {
      case 0:
        nodes.append(Field(initial))
        model.nodes.append(ModelNode(initial, isUnset: false))
      case 1:
        nodes.append(Field<Int>())
        model.nodes.append(ModelNode(nil, isUnset: true))
      default:
        nodes.append(ValueSource<Int?>(initial))
        model.nodes.append(ModelNode(initial, isUnset: false))
      }
    }
  }

  /// Performs a random operation on both graphs.
  mutating func step() {
    let alive = nodes.indices.filter { nodes[$0] != nil }
    guard let index = alive.randomElement(using: &generator), let other = alive.randomElement(using: &generator),
      let node = nodes[index], let target = nodes[other]
    else { return }
    let id = nextID
    nextID += 1
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<3:
      bind(node, target)
      model.bind(index, other, id: id)
      bindings[id] = (index, other)
    case 3..<5:
      pair(node, target)
      model.bind(other, index, id: id)
      model.bind(index, other, id: id, copies: false)
    case 5..<7:
      let summand = Int.random(in: 0...2, using: &generator)
      let modulus = Int.random(in: 1...5, using: &generator)
      let transform = { (value: Int?) in value.map { ($0 + summand) % modulus } }
      bind(node, target, transform)
      model.bind(index, other, id: id, transform: transform)
    case 7..<10:
      let log = Log()
      logs[id] = log
      tokens[id] = (index, observe(node) { log.changes.append(Change($0, $1)) })
      model.observe(index, id: id)
    case 10:
      if let (id, entry) = tokens.sorted(by: { $0.key < $1.key }).randomElement(using: &generator) {
        entry.token.cancel()
        tokens[id] = nil
        model.remove(id)
      }
    case 11:
      // All bindings from one node to another end together, those of a pair in this direction too.
      unbind(node, target)
      model.nodes[index].links.removeAll { if case .node(other, _) = $0 { true } else { false } }
    case 12 where alive.count > 1:
      nodes[index] = nil
      model.nodes[index].isAlive = false
      model.nodes[index].links = []
    case 13..<16:
      var sets: [(Int, Int?)] = []
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        guard let index = alive.randomElement(using: &generator) else { break }
        sets.append((index, randomValue()))
      }
      transaction { for (index, value) in sets { set(index, value) } }
      model.transaction { for (index, value) in sets { model.set(index, to: value) } }
    default:
      let value = randomValue()
      set(index, value)
      model.set(index, to: value)
    }
  }

  private func set(_ index: Int, _ value: Int?) { nodes[index]?.value = value }

  private mutating func randomValue() -> Int? {
    Int.random(in: 0...9, using: &generator) == 0 ? nil : Int.random(in: 0...4, using: &generator)
  }

  /// Returns the difference between the two graphs; nil if there is none.
  func difference() -> String? {
    for (index, node) in nodes.enumerated() {
      guard let node else { continue }
      let (found, expected) = (node.value, model.nodes[index].value)
      if found != expected { return "node \(index) has \(found as Any), not \(expected as Any)" }
    }
    for (id, log) in logs where log.changes != model.logs[id] ?? [] {
      return "observer \(id) saw \(log.changes), not \(model.logs[id] ?? [])"
    }
    return nil
  }
}

@Suite struct `Random graphs of bindings` {
  @Test(arguments: 0..<8)
  func `Random graphs of bindings follow the rules, step by step`(batch: Int) {
    for seed in UInt64(batch * 500)..<UInt64(batch * 500 + 500) {
      var test = RandomCase(seed: seed)
      for step in 0..<40 {
        test.step()
        guard let difference = test.difference() else { continue }
        Issue.record("Seed \(seed), step \(step): \(difference).")
        return
      }
    }
  }
}

import ModelCore
import Testing

/// A model with relations of many kinds, which may form cycles.
private final class Stop: Model {
  let id = Field<Int>()
  let name = Field<Int>()
  let prev = ModelField<Stop>()
  let next = ModelField<Stop>(inverse: \.prev)
  let parent = ModelField<Stop>(inverse: \.children)
  let children = ModelField<Stop>(deleteRule: .cascade)*
  let friends: ModelArrayField<Stop> = ModelField(inverse: \.friends)*
  let target = ModelField<Stop>()
  let items = ModelField<Stop>()*
  override var identifierField: AnyField? { id }

  /// The to-one fields and the to-many fields.
  var toOne: [ModelField<Stop>] { [prev, next, parent, target] }
  var toMany: [ModelArrayField<Stop>] { [children, friends, items] }

  var related: [Stop] { toOne.compactMap(\.value) + toMany.flatMap { $0.value ?? [] } }

  /// Returns the models at a path of keys.
  func models(at keys: ArraySlice<String>) -> [Stop] {
    guard let key = keys.first else { return [self] }
    let next =
      (toOne.filter { $0.key == key }.compactMap(\.value)) + toMany.filter { $0.key == key }.flatMap { $0.value ?? [] }
    return next.flatMap { $0.models(at: keys.dropFirst()) }
  }

  func unlink() {
    for field in toOne { field.value = nil }
    for field in toMany { field.removeAll() }
  }
}

/// A graph of models that is changed at random while it is observed.
private final class ObservedGraph {
  private static let paths: [FieldPath] = [
    "prev.prev", "next.name", "children.name", "parent.target.name", "friends.*", "items[0].name", "children.next",
  ]

  private struct Weak {
    weak var stop: Stop?
  }

  private var generator: SeededGenerator
  private let scope: ModelScope?
  private var stops: [Stop?]
  private var all: [Weak] = []
  private var reports: [Int: [FieldPath]] = [:]
  private var sequences: [ModelChanges] = []
  private var nextNumber = 0
  /// The models that an observer releases during a notification.
  private var released: Int?

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    scope = seed.isMultiple(of: 2) ? ModelScope() : nil
    stops = Array(repeating: nil, count: 6)
    for place in stops.indices { make(at: place) }
  }

  private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  private func make(at place: Int) {
    nextNumber += 1
    let stop = Stop()
    if let scope {
      stop.id.value = nextNumber
      _ = stop.canonicalInstance(in: scope)
    }
    stop.name.value = nextNumber
    stops[place] = stop
    all.append(Weak(stop: stop))
    let number = nextNumber
    switch self.number(0..<8) {
    case 0..<4: stop.addObserver { [weak self] _, path in self?.report(path, to: number) }
    case 4..<6:
      stop.addObserver(for: Self.paths.randomElement(using: &generator)) { [weak self] _, _ in self?.letGo() }
    case 6: sequences.append(stop.changes)
    default: break
    }
  }

  private func report(_ path: FieldPath, to number: Int) {
    reports[number, default: []].append(path)
    letGo()
  }

  private func letGo() {
    if let released { stops[released] = nil }
  }

  /// Changes the graph once, or a few times in a transaction.
  ///
  /// - Returns: a notification that was wrong, if any.
  func step() -> String? {
    released = number(0..<4) == 0 ? number(0..<6) : nil
    if number(0..<2) == 0 {
      change()
    } else {
      let count = number(1..<5)
      transaction { for _ in 0..<count { change() } }
    }
    released = nil
    for place in stops.indices where stops[place] == nil && number(0..<3) == 0 { make(at: place) }
    return fault()
  }

  private func change() {
    guard let stop = stops[number(0..<6)] else { return }
    let other = stops[number(0..<6)]
    let (one, many) = (stop.toOne[number(0..<4)], stop.toMany[number(0..<3)])
    switch number(0..<16) {
    case 0..<4: one.value = other
    case 4..<6: one.value = nil
    case 6..<8: if let other { many.add(other) }
    case 8: if let other { many.remove(other) }
    case 9: many.value = stops.compactMap { $0 }.filter { _ in number(0..<2) == 0 }
    case 10: many.value = nil
    case 11: stop.name.value = number(0..<100)
    case 12: stop.unlink()
    case 13: if number(0..<4) == 0 { stop.unload() } else { stop.revert() }
    default: stops[number(0..<6)] = nil
    }
  }

  /// Changes a field of every model, and checks that each observer is notified exactly if it can reach the model.
  private func fault() -> String? {
    guard
      let (place, root) = stops.enumerated().compactMap({ place, stop in stop.map { (place, $0) } })
        .randomElement(using: &generator), let observer = observerNumber(of: root)
    else { return nil }
    var reached = [root]
    var next = 0
    while next < reached.count {
      for stop in reached[next].related where !reached.contains(stop) { reached.append(stop) }
      next += 1
    }
    for stop in all.compactMap(\.stop) {
      reports = [:]
      stop.name.value = (stop.name.value ?? 0) + 1
      let received = reports[observer] ?? []
      let isReached = reached.contains(stop)
      if !isReached, received.isEmpty { continue }
      guard isReached, received.count == 1, let path = received.first else {
        return
          "place \(place) received \(received.map(\.description)) of a model that is \(isReached ? "" : "not ")reached"
      }
      let keys = path.description.split(separator: ".").map(String.init)
      if keys.last != "name" || !root.models(at: keys.dropLast()[...]).contains(stop) {
        return "place \(place) received \(path), where the model is not"
      }
    }
    return nil
  }

  /// Returns the number under which all changes are reported to a model, if any.
  private func observerNumber(of stop: Stop) -> Int? {
    reports = [:]
    stop.name.value = (stop.name.value ?? 0) + 1
    guard let index = all.firstIndex(where: { $0.stop === stop }) else { return nil }
    return reports[index + 1]?.contains("name") == true ? index + 1 : nil
  }

  /// Cuts all links and releases all models.
  ///
  /// - Returns: the number of remaining models.
  func end() -> Int {
    for stop in all.compactMap(\.stop) {
      stop.unlink()
      scope?.remove(stop)
    }
    stops = []
    return all.count { $0.stop != nil }
  }
}

@Suite struct `Observing a graph that changes` {
  /// Returns a chain of three models: the last is observed, and the middle one is retained by the first only.
  private func chain() -> (first: Stop, last: Stop) {
    let (first, middle, last) = (Stop(), Stop(), Stop())
    first.next.value = middle
    middle.next.value = last
    return (first, last)
  }

  @Test func `A model that a transaction releases is reported as a change of the link to it`() {
    let (first, last) = chain()
    var paths: [FieldPath] = []
    last.addObserver { _, path in paths.append(path) }
    transaction { first.next.value = nil }
    #expect(paths == ["prev.prev.next", "prev"])
    #expect(last.prev.value == nil)
  }

  @Test func `A path through a model that a transaction releases is reported as a change of the link to it`() {
    let (first, last) = chain()
    var paths: [FieldPath] = []
    last.addObserver(for: "prev.prev") { _, path in paths.append(path) }
    transaction { first.next.value = nil }
    #expect(paths == ["prev"])
  }

  @Test func `A member that a transaction releases is reported as a change of the list`() {
    let root = Stop()
    let item = Stop()
    var parent: Stop? = Stop()
    parent?.children.add(item)
    root.items.add(item)
    var paths: [FieldPath] = []
    root.addObserver { _, path in paths.append(path) }
    transaction {
      parent?.name.value = 1
      parent = nil
    }
    #expect(paths == ["items.parent"])
  }

  @Test(arguments: TestEffort.seeds(30))
  func `Random changes of an observed graph report each change of a reachable model once`(seed: UInt64) {
    let graph = ObservedGraph(seed: seed)
    for step in 0..<150 {
      if let fault = graph.step() {
        Issue.record("seed \(seed), step \(step): \(fault)")
        return
      }
    }
    #expect(graph.end() == 0, "seed \(seed)")
  }
}

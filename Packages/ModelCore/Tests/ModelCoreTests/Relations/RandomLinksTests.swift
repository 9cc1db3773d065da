import ModelCore
import Testing

/// One side of a real relation, accessed by numbers.
private struct RelationSide {
  let isMany: Bool
  /// Returns whether a model references exactly these others, in this order.
  let matches: (_ model: Int, _ others: [Int]?) -> Bool
  let perform: (ReferenceRelation.Operation) -> Void
  /// Observes a model with its number and the numbers before and after.
  let observe: (@escaping (Int, [Int]?, [Int]?) -> Void) -> Void

  init<M: Model, Related: Model>(
    _ field: (M) -> ModelField<Related>, of models: [M], to related: [Related]
  ) {
    let fields = models.map(field)
    let numbers = Dictionary(uniqueKeysWithValues: zip(related.map(ObjectIdentifier.init), 0...))
    func list(_ model: Related?) -> [Int]? { model.flatMap { numbers[ObjectIdentifier($0)] }.map { [$0] } }
    isMany = false
    matches = { fields[$0].value === $1?.first.map { related[$0] } }
    perform = { operation in
      if case .set(let model, let other) = operation { fields[model].value = other.map { related[$0] } }
    }
    observe = { report in
      for (number, field) in fields.enumerated() {
        field.addObserver(updateImmediately: false) { report(number, list($0), list($1)) }
      }
    }
  }

  init<M: Model, Related: Model>(
    _ field: (M) -> ModelArrayField<Related>, of models: [M], to related: [Related]
  ) {
    let fields = models.map(field)
    let numbers = Dictionary(uniqueKeysWithValues: zip(related.map(ObjectIdentifier.init), 0...))
    func list(_ models: [Related]?) -> [Int]? { models?.compactMap { numbers[ObjectIdentifier($0)] } }
    isMany = true
    matches = { model, others in
      let value = fields[model].value
      guard let value, let others else { return value == nil && others == nil }
      guard value.count == others.count else { return false }
      for index in others.indices where value[index] !== related[others[index]] { return false }
      return true
    }
    perform = { operation in
      switch operation {
      case .set: break
      case .add(let model, let other): fields[model].add(related[other])
      case .remove(let model, let other): fields[model].remove(related[other])
      case .assign(let model, let others): fields[model].value = others?.map { related[$0] }
      }
    }
    observe = { report in
      for (number, field) in fields.enumerated() {
        field.addObserver(updateImmediately: false) { report(number, list($0), list($1)) }
      }
    }
  }
}

/// The notifications during one operation.
private final class Reports {
  var isObserving = false
  var announced: [(side: Int, model: Int, old: [Int]?, new: [Int]?)] = []
}

@Suite struct `Random operations on a relation` {
  /// Performs operations on the real relation and on the reference, and compares both sides after each.
  private func run(
    _ sides: [RelationSide], counts: [Int], isSymmetric: Bool = false, seed: UInt64,
    steps: Int = 6_000 * TestEffort.factor
  ) {
    var generator = SeededGenerator(seed: seed)
    var reference = ReferenceRelation(isMany: sides.map(\.isMany), counts: counts, isSymmetric: isSymmetric)
    let reports = Reports()
    // The second half runs with observers: without them lists grow in place, on another code path.
    for step in 0..<steps {
      if step == steps / 2 {
        reports.isObserving = true
        for (side, relation) in sides.enumerated() {
          relation.observe { reports.announced.append((side, $0, $1, $2)) }
        }
      }
      let side = Int.random(in: 0..<sides.count, using: &generator)
      let operation = operation(isMany: sides[side].isMany, counts: counts, side, isSymmetric, &generator)
      let before = reference
      reports.announced = []
      sides[side].perform(operation)
      reference.perform(operation, on: side)
      for (side, relation) in sides.enumerated() {
        for (model, expected) in reference.sides[side].lists.enumerated() where !relation.matches(model, expected) {
          Issue.record(
            "seed \(seed), step \(step), \(operation) on side \(side): model \(model) should have \(expected ?? [])")
          return
        }
      }
      guard reports.isObserving else { continue }
      if let fault = fault(in: reports.announced, before, reference) {
        Issue.record("seed \(seed), step \(step), \(operation) on side \(side): \(fault)")
        return
      }
    }
  }

  private func operation(
    isMany: Bool, counts: [Int], _ side: Int, _ isSymmetric: Bool, _ generator: inout SeededGenerator
  ) -> ReferenceRelation.Operation {
    let model = Int.random(in: 0..<counts[side], using: &generator)
    let others = 0..<counts[isSymmetric ? side : 1 - side]
    let other = Int.random(in: others, using: &generator)
    let kind = Int.random(in: 0..<20, using: &generator)
    guard isMany else { return .set(model, kind < 5 ? nil : other) }
    switch kind {
    case 0: return .assign(model, nil)
    case 1..<6:
      let count = Int.random(in: 0...6, using: &generator)
      return .assign(model, (0..<count).map { _ in Int.random(in: others, using: &generator) })
    case 6..<11: return .remove(model, other)
    default: return .add(model, other)
    }
  }

  /// Returns a description of the fault unless exactly the changed fields were announced, once each, with the right
  /// values.
  private func fault(
    in announced: [(side: Int, model: Int, old: [Int]?, new: [Int]?)], _ before: ReferenceRelation,
    _ after: ReferenceRelation
  ) -> String? {
    var changes = 0
    for side in before.sides.indices {
      for model in before.sides[side].lists.indices
      where before.sides[side].lists[model] != after.sides[side].lists[model] {
        changes += 1
      }
    }
    var fields: Set<[Int]> = []
    for report in announced {
      let old = before.sides[report.side].lists[report.model]
      let new = after.sides[report.side].lists[report.model]
      if old == new || report.old != old || report.new != new {
        return "\(report) instead of \(old ?? []) to \(new ?? [])"
      }
      if !fields.insert([report.side, report.model]).inserted { return "\(report) more than once" }
    }
    return changes == announced.count ? nil : "\(changes) fields changed, \(announced.count) were announced"
  }

  @Test func `Random operations follow the rules of one-to-many relations`() {
    let authors = (0..<10).map { _ in Author() }
    let books = (0..<20).map { _ in Book() }
    run(
      [RelationSide(\.books, of: authors, to: books), RelationSide(\.author, of: books, to: authors)],
      counts: [10, 20], seed: 1)
  }

  @Test func `Random operations follow the rules of many-to-many relations`() {
    let students = (0..<15).map { _ in Student() }
    let courses = (0..<15).map { _ in Course() }
    run(
      [RelationSide(\.courses, of: students, to: courses), RelationSide(\.students, of: courses, to: students)],
      counts: [15, 15], seed: 2)
  }

  @Test func `Random operations follow the rules of one-to-one relations`() {
    let countries = (0..<15).map { _ in Country() }
    let cities = (0..<15).map { _ in City() }
    run(
      [RelationSide(\.capital, of: countries, to: cities), RelationSide(\.capitalOf, of: cities, to: countries)],
      counts: [15, 15], seed: 3)
  }

  @Test func `Random operations follow the rules of trees`() {
    let people = (0..<30).map { _ in Person() }
    run(
      [RelationSide(\.children, of: people, to: people), RelationSide(\.parent, of: people, to: people)],
      counts: [30, 30], seed: 7, steps: 5_000)
    // A person may have become their own parent.
    for person in people { person.parent.value = nil }
  }

  @Test func `Random operations follow the rules of pairs`() {
    let people = (0..<30).map { _ in Person() }
    run([RelationSide(\.spouse, of: people, to: people)], counts: [30], isSymmetric: true, seed: 8, steps: 5_000)
    for person in people { person.spouse.value = nil }
  }

  @Test func `Random operations follow the rules of networks`() {
    let people = (0..<30).map { _ in Person() }
    run([RelationSide(\.friends, of: people, to: people)], counts: [30], isSymmetric: true, seed: 9, steps: 5_000)
    for person in people { person.friends.value = nil }
  }

  @Test func `Random operations on a relation leave no models in memory`() {
    func graph() -> [() -> ModelObject?] {
      let authors = (0..<10).map { _ in Author() }
      let books = (0..<20).map { _ in Book() }
      run(
        [RelationSide(\.books, of: authors, to: books), RelationSide(\.author, of: books, to: authors)],
        counts: [10, 20], seed: 10, steps: 2_000)
      return (authors as [ModelObject] + books).map { model in { [weak model] in model } }
    }
    #expect(graph().allSatisfy { $0() == nil })
  }
}

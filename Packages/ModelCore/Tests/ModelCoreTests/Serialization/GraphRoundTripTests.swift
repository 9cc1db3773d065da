import Foundation
import Testing

@testable import ModelCore

/// A model with relations of every kind.
private final class Knot: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let next = ModelField<Knot>()
  let others = ModelField<Knot>()*
  let owner = ModelField<Knot>(inverse: \.owned)
  let owned = ModelField<Knot>()*
  let partner: ModelField<Knot> = ModelField(inverse: { $0.partner })
  let friends: ModelArrayField<Knot> = ModelField(inverse: \.friends)*
  let key = ModelField<Knot>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

/// A model without identifier.
private final class Twig: Model {
  let name = Field<String>()
  let first = ModelField<Twig>()
  let rest = ModelField<Twig>()*
  let root = ModelField<Twig>(inverse: \.grown)
  let grown = ModelField<Twig>()*
}

@Suite struct `Random graphs` {
  private func knots(_ random: inout RandomDocument, _ count: Int) -> [Knot] {
    let knots = (1...count).map { id in
      let knot = Knot()
      knot.id.value = id
      knot.name.value = "knot \(id)"
      return knot
    }
    let density = random.pick([50, 200, 500])
    if random.chance(200) {
      for (knot, next) in zip(knots, knots.dropFirst() + knots.prefix(1)) { knot.next.value = next }
    }
    for knot in knots {
      if random.chance(density) { knot.next.value = random.pick(knots) }
      if random.chance(density) { knot.others.value = (0..<random.number(0...4)).map { _ in random.pick(knots) } }
      if random.chance(density) { knot.owner.value = random.pick(knots) }
      if random.chance(density) { knot.partner.value = random.pick(knots) }
      if random.chance(density) { knot.friends.value = (0..<random.number(0...4)).map { _ in random.pick(knots) } }
      if random.chance(density) { knot.key.value = random.pick(knots) }
    }
    return knots
  }

  /// Returns the state of a graph, by identifiers. Lists that follow their inverse are sorted.
  private func shape(of roots: [Knot]) -> [Int: [String]] {
    var shape: [Int: [String]] = [:]
    var open = roots
    while let knot = open.popLast() {
      guard let id = knot.id.value, shape[id] == nil else { continue }
      func ids(_ models: [Knot]?) -> String { "\((models ?? []).compactMap(\.id.value))" }
      func set(_ models: [Knot]?) -> String { "\((models ?? []).compactMap(\.id.value).sorted())" }
      shape[id] = [
        knot.name.value ?? "-", ids(knot.next.value.map { [$0] }), ids(knot.others.value),
        ids(knot.owner.value.map { [$0] }), set(knot.owned.value), ids(knot.partner.value.map { [$0] }),
        set(knot.friends.value), ids(knot.key.value.map { [$0] }),
      ]
      // Models behind foreign keys are not in the document.
      for field in [knot.next, knot.owner, knot.partner] { open += field.value.map { [$0] } ?? [] }
      for field in [knot.others, knot.owned, knot.friends] { open += field.value ?? [] }
    }
    return shape
  }

  private func reached(_ roots: [Knot]) -> Int { shape(of: roots).count }

  private func countOfFull(_ json: JSONValue) -> [String: Int] {
    switch json {
    case .object(let members):
      var counts = members.values.reduce(into: [:]) { $0.merge(countOfFull($1), uniquingKeysWith: +) }
      if let name = members["name"]?.stringValue { counts[name, default: 0] += 1 }
      return counts
    case .array(let elements): return elements.reduce(into: [:]) { $0.merge(countOfFull($1), uniquingKeysWith: +) }
    default: return [:]
    }
  }

  @Test func `Random graphs are read back unchanged, and each model is written in full once`() throws {
    for seed in 0..<150 as Range<UInt64> {
      var random = RandomDocument(seed: seed)
      let knots = knots(&random, random.number(1...24))
      // One side of a relation is weak: some models have no other owner.
      defer { withExtendedLifetime(knots) {} }
      let root = random.pick(knots)
      let expected = shape(of: [root])
      let documents = [try root.treeData(pretty: false), try root.jsonData()]
      #expect(documents[0] == documents[1])
      let counts = countOfFull(try JSONValue(json: documents[0]))
      #expect(counts.count == expected.count && counts.values.allSatisfy { $0 == 1 }, "seed \(seed): \(counts)")
      for data in documents {
        let tree = ModelScope()
        let treeRoot = try ModelReader.model(Knot.self, from: data, in: tree)
        #expect(shape(of: [treeRoot]) == expected, "seed \(seed)")
        let direct = ModelScope()
        let directRoot = try Knot.from(json: data, in: direct)
        #expect(shape(of: [directRoot]) == expected, "seed \(seed)")
        #expect(Knot.with(identifier: root.identifier ?? "", in: direct) === directRoot)
        let alone = try Knot.from(json: data)
        #expect(shape(of: [alone]) == expected, "seed \(seed)")
      }
    }
  }

  @Test func `Random graphs are read back from one list, in which each model is written in full once`() throws {
    for seed in 1_000..<1_100 as Range<UInt64> {
      var random = RandomDocument(seed: seed)
      let all = knots(&random, random.number(1...24))
      defer { withExtendedLifetime(all) {} }
      let knots = all.filter { _ in random.chance(700) }
      let expected = shape(of: knots)
      let data = try knots.jsonData()
      #expect(data == (try knots.treeData(pretty: false)))
      let json = try JSONValue(json: data)
      let counts = countOfFull(json)
      #expect(counts.count == expected.count && counts.values.allSatisfy { $0 == 1 }, "seed \(seed): \(counts)")
      for (index, knot) in knots.enumerated() { #expect(json[index]?["name"]?.stringValue == knot.name.value) }
      let read = try Knot.list(fromJSON: data, in: ModelScope())
      #expect(read.map(\.identifier) == knots.map(\.identifier))
      #expect(shape(of: read) == expected, "seed \(seed)")
      let tree = try ModelReader.list(Knot.self, from: data, at: "", ModelReader(scope: ModelScope()))
      #expect(shape(of: tree) == expected, "seed \(seed)")
    }
  }

  @Test func `Random graphs of models without identifier are read back if they are trees`() throws {
    for seed in 0..<60 as Range<UInt64> {
      var random = RandomDocument(seed: seed)
      var twigs = [Twig()]
      twigs[0].name.value = "0"
      for number in 1..<random.number(2...20) {
        let twig = Twig()
        twig.name.value = "\(number)"
        let parent = random.pick(twigs)
        switch random.number(0...2) {
        case 0 where parent.first.value == nil: parent.first.value = twig
        case 1: parent.rest.add(twig)
        default: parent.grown.add(twig)
        }
        twigs.append(twig)
      }
      let data = try twigs[0].jsonData()
      for scope in [nil, ModelScope()] {
        let copy = try Twig.from(json: data, in: scope)
        #expect(try copy.jsonData() == data, "seed \(seed)")
        func roots(_ twig: Twig) -> Bool {
          (twig.grown.value ?? []).allSatisfy { $0.root.value === twig && roots($0) }
            && (twig.rest.value ?? []).allSatisfy(roots) && twig.first.value.map(roots) != false
        }
        #expect(roots(copy))
      }
    }
  }

  @Test(arguments: [200, 400])
  func `The size of a document of one owner and many members is linear in their number`(count: Int) throws {
    let author = Author(id: 0, name: "an author")
    let books = (1...count).map { Book(id: $0, title: "a book") }
    author.books.value = books
    for (data, limit) in [(try author.jsonData(), 60), (try books.jsonData(), 80)] {
      let text = String(decoding: data, as: UTF8.self)
      #expect(text.components(separatedBy: "a book").count - 1 == count)
      #expect(text.components(separatedBy: "an author").count - 1 == 1)
      #expect(text.utf8.count < limit * count + 100)
    }
  }

  @Test func `A list of models without identifier writes them twice at most`() throws {
    let author = Author(name: "Ada")
    let books = (0..<50).map { _ in Book(title: "a book") }
    author.books.value = books
    let text = String(decoding: try books.jsonData(), as: UTF8.self)
    #expect(text.components(separatedBy: "a book").count - 1 <= 100)
  }
}

import Foundation
import Testing

@testable @_spi(ModelKitInternals) import ModelCore

/// A scope with live models, and a log of the notifications of their observers.
private final class World {
  let scope: ModelScope?
  var live: [ModelObject] = []
  var log: [String] = []

  init(_ type: any Model.Type, seed: UInt64, hasScope: Bool, context: ValueTransformerContext) throws {
    scope = hasScope ? ModelScope(transformers: context) : nil
    guard hasScope else { return }
    scope?.decodingIssueHandler = { [unowned self] issues in log += issues.map { "not read: \($0)" } }
    var random = RandomDocument(seed: seed)
    random.mistakes = 0
    for _ in 0..<3 {
      let object = random.object(of: type, depth: 0)
      if let json = try? JSONValue(json: object), case .object(let dictionary) = json {
        try add(type, dictionary)
      }
    }
    for model in live {
      for field in model.layout.fields(of: model) where random.chance(120) { change(field) }
    }
    for (place, model) in live.enumerated() {
      for field in model.layout.fields(of: model) {
        let name = "\(place).\(field.key ?? "?")"
        watch(field, name, requiresChange: random.chance(700))
      }
    }
  }

  private func add<M: Model>(_ type: M.Type, _ dictionary: AttributeDictionary) throws {
    if let model = try? type.from(dictionaryValue: dictionary, in: scope), !live.contains(model) { live.append(model) }
  }

  private func change(_ field: AnyField) {
    switch field {
    case let field as Field<Int>: if field.key != "id" { field.value = 1_000 }
    case let field as Field<String>: if field.key != "code", field.key != "id" { field.value = "local" }
    case let field as Field<[String]>: field.value = ["local"]
    default: break
    }
  }

  private func watch(_ field: AnyField, _ name: String, requiresChange: Bool) {
    func watch<Value>(_ field: Field<Value>) {
      field.addObserver(requiresChange: requiresChange, updateImmediately: false) { [unowned self] old, new in
        log.append("\(name): \(text(old)) > \(text(new))")
      }
    }
    switch field {
    case let field as Field<Int>: watch(field)
    case let field as Field<String>: watch(field)
    case let field as Field<Double>: watch(field)
    case let field as Field<Bool>: watch(field)
    case let field as Field<[String]>: watch(field)
    case let field as Field<Date>: watch(field)
    case let field as Field<Author>: watch(field)
    case let field as Field<[Book]>: watch(field)
    case let field as Field<[Person]>: watch(field)
    default: break
    }
  }

  private func text<Value>(_ value: Value?) -> String {
    switch value {
    case let model as ModelObject: "\(type(of: model)) \(model.modelIdentifier ?? "-")"
    case let models as [ModelObject]: models.map { text($0) }.description
    case let value?: "\(value)"
    case nil: "nil"
    }
  }
}

@Suite struct `Reading on the direct path` {
  private func outcome(_ world: World, _ body: () throws -> [ModelObject]) -> String {
    do {
      let models = try body()
      return dump(models.map { $0 as ModelObject } + world.live, scope: world.scope) + "\n"
        + world.log.joined(separator: "\n")
    } catch {
      return "\(error)\n" + dump(world.live, scope: world.scope) + "\n" + world.log.joined(separator: "\n")
    }
  }

  private func compare<M: Model>(_ type: M.Type, _ document: String, seed: UInt64) throws -> Bool {
    var random = RandomDocument(seed: seed &+ 1)
    let (hasScope, keepsLocalChanges, isTwice) = (random.chance(700), random.chance(400), random.chance(300))
    let context = randomContext(&random)
    let data = Data(document.utf8)
    let tree = try World(type, seed: seed, hasScope: hasScope, context: context)
    let direct = try World(type, seed: seed, hasScope: hasScope, context: context)
    func reader(_ world: World) -> ModelReader {
      ModelReader(scope: world.scope, localChanges: keepsLocalChanges && hasScope ? .keep : .overwrite)
    }
    var wasDirect = false
    for _ in 0..<(isTwice ? 2 : 1) {
      let expected = outcome(tree) { try ModelReader.list(type, from: data, at: "", reader(tree)) }
      let found = outcome(direct) {
        let models = ModelReader.directList(type, from: data, at: "", reader(direct))
        if models != nil { wasDirect = true }
        return try models ?? ModelReader.list(type, from: data, at: "", reader(direct))
      }
      if expected != found {
        let lines = zip(expected.split(separator: "\n"), found.split(separator: "\n")).first { $0 != $1 }
        Issue.record(
          "seed \(seed), \(type): the tree path gives\n\(lines?.0 ?? "less")\nand the direct path gives\n\(lines?.1 ?? "less")"
        )
        return wasDirect
      }
    }
    return wasDirect
  }

  /// Returns a list of the values of a seed's live models, each several times, and sometimes with a change.
  private func listOfWhatIsThere<M: Model>(_ type: M.Type, seed: UInt64) throws -> String {
    var random = RandomDocument(seed: seed &+ 1)
    let hasScope = random.chance(700)
    _ = (random.chance(400), random.chance(300))
    let context = randomContext(&random)
    let live = try World(type, seed: seed, hasScope: hasScope, context: context).live
    guard !live.isEmpty else { return "[]" }
    let objects = (0..<random.number(1...12)).map { _ in
      var object = (random.pick(live) as? M)?.dictionaryValue ?? [:]
      for relation in ["books", "author", "next", "others", "zeta", "alpha"] where !random.chance(500) {
        object[relation] = nil
      }
      var members = object.map { ($0.key, $0.value.description) }
      if random.chance(150), !members.isEmpty {
        let place = random.number(0...members.count - 1)
        members[place].1 = random.pick(["null", "2", "\"changed\"", "[]", "[\"x\"]", "true", "1.5"])
      }
      if random.chance(100), !members.isEmpty { members.remove(at: random.number(0...members.count - 1)) }
      if random.chance(100) { members.append(("unknown", "{\"a\": [1]}")) }
      if random.chance(30) { members.append(("id", "\(random.number(1...4))")) }
      members.sort { $0.0 < $1.0 }
      if random.chance(200) { members.shuffle(using: &random.random) }
      return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
    return "[" + objects.joined(separator: ",") + "]"
  }

  @Test func `The direct path reads unchanged models with the same result as the tree path`() throws {
    var directCount = 0
    for seed in 0..<900 as Range<UInt64> {
      let types: [any Model.Type] = [
        Book.self, Author.self, Sampler.self, Watcher.self, Track.self, Crossing.self,
      ]
      let type = types[Int(seed) % types.count]
      if try compare(type, try listOfWhatIsThere(type, seed: seed), seed: seed) { directCount += 1 }
    }
    #expect(directCount > 500 || !LayoutCache.isOn)
  }

  @Test func `The direct path gives the same models, states, errors and notifications as the tree path`() throws {
    var directCount = 0
    for seed in 0..<650 as Range<UInt64> {
      let type = modelClasses[Int(seed) % modelClasses.count]
      var random = RandomDocument(seed: seed &* 7_919)
      if seed % 5 == 0 { random.mistakes = 30 }
      if try compare(type, random.list(of: type), seed: seed) { directCount += 1 }
    }
    // The test would prove nothing if all of them had needed the tree path.
    #expect(directCount > 250 || !LayoutCache.isOn)
  }

  @Test func `The direct path keeps the document's value if an observer changed it during the reading`() throws {
    let scope = ModelScope()
    let books = try Book.list(
      fromJSON: Data(#"[{"id": 1, "title": "A"}, {"id": 2, "title": "B", "year": 1900}]"#.utf8), in: scope)
    books[0].title.addObserver(updateImmediately: false) { _, _ in books[1].year.value = 1 }
    let again = try Book.list(
      fromJSON: Data(#"[{"id": 1, "title": "C"}, {"id": 2, "title": "B", "year": 1900}]"#.utf8), in: scope)
    #expect(again == books)
    #expect(books[0].title == "C")
    #expect(books[1].year == 1900)
    #expect(!books[1].isDirty)
  }

  @Test func `The direct path updates the stamps of unchanged fields and notifies no observers`()
    throws
  {
    let scope = ModelScope()
    let data = Data(#"[{"id": 1, "title": "A", "year": 1900}]"#.utf8)
    let book = try #require(try Book.list(fromJSON: data, in: scope).first)
    var calls = 0
    book.title.addObserver(updateImmediately: false) { _, _ in calls += 1 }
    let (updatedAt, changedAt) = (try #require(book.year.updatedAt), book.year.changedAt)
    book.year.addValidationError("is odd")
    #expect(try Book.list(fromJSON: data, in: scope) == [book])
    #expect(try #require(book.year.updatedAt) > updatedAt)
    #expect(book.year.changedAt == changedAt)
    #expect(book.year.validationState == .unknown)
    #expect(calls == 0)
  }

  @Test func `The direct path reads live and new models in one list without mixing their values`() throws {
    let scope = ModelScope()
    let first = try Book.from(dictionaryValue: ["id": 1, "title": "A", "year": 1900], in: scope)
    let read = try Book.list(
      fromJSON: Data(#"[{"id": 1, "title": "A", "year": 1900}, {"id": 2}, {"title": "C"}, {"id": 1}]"#.utf8), in: scope)
    #expect(read.map(\.identifier) == ["1", "2", nil, "1"])
    #expect(read[0] === first && read[3] === first)
    #expect(read[1].title.loadState == .notLoaded && read[1].loadState == .incomplete)
    #expect(read[2].year.loadState == .notLoaded)
  }

  @Test func `The direct path ends for deeply nested models`() throws {
    let depth = 200
    let text = String(repeating: #"{"parent":"#, count: depth) + "{}" + String(repeating: "}", count: depth)
    var person: Person? = try Person.from(json: Data(text.utf8))
    for _ in 0..<depth { person = person?.parent.value }
    #expect(person != nil)
    let endless = String(repeating: #"{"parent":"#, count: 100_000)
    let error = #expect(throws: JSONSyntaxError.self) { try Person.from(json: Data(endless.utf8)) }
    #expect(error?.code == .tooDeep)
  }

  @Test func `The direct path keeps local changes when a store reads`() throws {
    let scope = ModelScope()
    let data = Data(#"{"books": [{"id": 1, "title": "A", "year": 1900}]}"#.utf8)
    let book = try #require(try scope.models(Book.self, fromJSON: data, at: "books", localChanges: .keep).first)
    book.title.value = "mine"
    _ = try scope.models(Book.self, fromJSON: data, at: "books", localChanges: .keep)
    #expect(book.title == "mine")
    #expect(book.title.isDirty && book.isKnownToStore)
    _ = try scope.models(Book.self, fromJSON: data, at: "books", localChanges: .overwrite)
    #expect(book.title == "A")
  }

  @Test(.enabled(if: LayoutCache.isOn))
  func `The direct path reads documents without errors and unknown keys`() throws {
    let context = ValueTransformerContext(decoding: .lenient, keepsUnknownKeys: true)
    func read(_ text: String) -> Author? {
      ModelReader.directModel(Author.self, from: Data(text.utf8), in: ModelScope(transformers: context))
    }
    #expect(read(#"{"id": "1", "name": 5, "books": [{"id": 2, "title": "A"}]}"#)?.books.count == 1)
    #expect(read(#"{"id": 1, "x": 5}"#) == nil)
    #expect(read(#"{"id": 1, "books": [{"x": 2}]}"#) == nil)
    #expect(read(#"{"id": "x"}"#) == nil)
  }
}

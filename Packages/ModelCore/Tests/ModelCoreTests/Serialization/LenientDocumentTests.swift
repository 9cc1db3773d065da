import Foundation
import ModelCore
import Testing

private final class Rated: Model {
  let title = Field<String>().requireNotNil()
  let stars = Field<Int>().requireNotNil().require(.range(1...5))
  let note = Field<String>()
}

@Suite struct `Reading a document leniently` {
  private final class Reported {
    var issues: [[ModelDecodingError]] = []
    var texts: [String] { issues.flatMap { $0.map(\.description) } }
  }

  private let reported = Reported()
  private let scope = ModelScope(transformers: ValueTransformerContext(decoding: .lenient))

  init() { scope.decodingIssueHandler = { [reported] in reported.issues.append($0) } }

  private static let authors = """
    {"authors": [{"id": 1}, {"id": "x", "name": []}, 7,
      {"id": "4", "name": 5, "books": [{"id": 10, "year": "MCM", "title": {"a": [1]}}, null, {"id": 11, "year": "1900"}]},
      {"id": 5, "books": "none"}]}
    """

  @Test func `A lenient reading reports all rejected values once, with their full paths`() throws {
    let authors = try Author.list(fromJSON: Data(Self.authors.utf8), at: "authors", in: scope)
    #expect(reported.issues.count == 1)
    #expect(
      reported.texts.sorted() == [
        #"authors[1].id: expected an integer, found the string "x""#,
        "authors[1].name: expected a string, found a list of 0 elements",
        "authors[2]: expected an object, found 7",
        "authors[3].books[0].title: expected a string, found an object",
        #"authors[3].books[0].year: expected an integer, found the string "MCM""#,
        "authors[3].books[1]: expected an object or an identifier, found null",
        #"authors[4].books: expected a list, found the string "none""#,
      ])
    #expect(reported.issues[0].first { $0.found == #"the string "MCM""# }?.path == "authors[3].books[0].year")
    #expect(authors.map(\.identifier) == ["1", nil, "4", "5"])
    #expect(authors[2].name == "5")
    #expect(authors[2].books.value?.map(\.year.value) == [nil, 1900])
    #expect(authors[1].name.loadState == .notLoaded)
  }

  @Test func `A value that was rejected in a lenient reading has one validation error`()
    throws
  {
    let model = try Rated.from(dictionaryValue: ["title": "Emma", "stars": "five", "note": 7.5], in: scope)
    #expect(
      model.validate().messages == [
        #"stars could not be read: expected an integer, found the string "five""#
      ])
    #expect(model.stars.violations.map(\.code) == ["notNil"])
    model.stars.value = nil
    #expect(model.validate().messages == ["stars is required"])
    model.stars.value = 5
    #expect(model.validate() == .valid)
    try model.read(["stars": "six"])
    #expect(model.stars == 5)
    #expect(model.validate() == .valid)
  }

  @Test func `A document that was read leniently is written back unchanged`() throws {
    let authors = try Author.list(fromJSON: Data(Self.authors.utf8), at: "authors", in: scope)
    let written = try JSONValue(json: authors.jsonData())
    #expect(
      written == [
        ["id": 1], ["id": "x", "name": []],
        [
          "id": 4, "name": "5",
          "books": [
            ["id": 10, "year": "MCM", "title": ["a": [1]], "author": ["id": 4]], nil,
            ["id": 11, "year": 1900, "author": ["id": 4]],
          ],
        ],
        ["id": 5, "books": "none"],
      ])
    #expect(try JSONValue(json: authors[2].jsonData()) == written[2])
    let fresh = ModelScope(transformers: scope.transformers)
    fresh.decodingIssueHandler = scope.decodingIssueHandler
    let again = try Author.list(fromJSON: authors.jsonData(), in: fresh)
    #expect(try again.jsonData() == authors.jsonData())
  }

  @Test func `A lenient reading keeps rejected values until the field is set`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "title": [1], "year": "MCM"], in: scope)
    #expect(book.rejectedValues.map(\.key) == ["title", "year"])
    #expect(book.rejectedValues[1].json == "MCM")
    #expect(book.rejectedValues[1].issues.map(\.description) == [#"year: expected an integer, found the string "MCM""#])
    book.year.value = 1900
    #expect(book.dictionaryValue == ["id": 1, "title": [1], "year": 1900])
    book.title.value = nil
    #expect(book.dictionaryValue == ["id": 1, "year": 1900])
    #expect(book.rejectedValues.isEmpty)
    let other = try Book.from(dictionaryValue: ["year": "MCM"], in: scope)
    other.year.value = 1
    other.revert()
    #expect(other.dictionaryValue == ["year": "MCM"])
  }

  @Test func `A lenient reading keeps the value of a field, and writes the rejected one`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "year": 1900], in: scope)
    try book.read(["year": "MCM"])
    #expect(book.year.value == 1900)
    #expect(!book.isDirty)
    #expect(book.dictionaryValue == ["id": 1, "year": "MCM"])
    try book.read(["year": 1901])
    #expect(book.rejectedValues.isEmpty)
    #expect(book.dictionaryValue == ["id": 1, "year": 1901])
    try book.read(["year": "MCM"])
    try book.read(["title": "T"])
    #expect(book.dictionaryValue == ["id": 1, "title": "T", "year": "MCM"])
    book.year.value = 1901
    #expect(book.dictionaryValue == ["id": 1, "title": "T", "year": 1901])
  }

  @Test func `A lenient reading keeps rejected elements of a list of models at their indices until it changes`()
    throws
  {
    let document: AttributeDictionary = ["books": [true, ["title": "A"], [1], ["title": "B"], nil]]
    let author = try Author.from(dictionaryValue: document, in: scope)
    #expect(author.books.value?.map(\.title.value) == ["A", "B"])
    #expect(author.books.loadState == .loaded)
    #expect(author.rejectedValues.map(\.json) == [[true, [1], nil]])
    #expect(author.rejectedValues[0].issues.map { "\($0.path)" } == ["books[0]", "books[2]", "books[4]"])
    #expect(author.dictionaryValue == document)
    #expect(try JSONValue(json: author.jsonData()) == .object(document))
    author.books.add(Book(title: "C"))
    #expect(author.dictionaryValue == ["books": [["title": "A"], ["title": "B"], ["title": "C"]]])
  }

  @Test func `A lenient reading rejects a list of values as a whole, and reports every wrong element`() throws {
    final class Numbers: Model {
      let numbers = Field<Int>()*
      let map = Field<[String: Int]>()
    }
    let document: AttributeDictionary = ["numbers": [1, "x", "2", nil, [3]], "map": ["a": "b"]]
    let numbers = try Numbers.from(dictionaryValue: document, in: scope)
    #expect(numbers.numbers.loadState == .notLoaded)
    #expect(
      reported.texts == [
        #"numbers[1]: expected an integer, found the string "x""#, "numbers[3]: expected an integer, found null",
        "numbers[4]: expected an integer, found a list of 1 element",
        #"map.a: expected an integer, found the string "b""#,
      ])
    #expect(numbers.dictionaryValue == document)
    numbers.numbers.value = [1]
    #expect(numbers.dictionaryValue == ["numbers": [1], "map": ["a": "b"]])
  }

  @Test func `A lenient reading keeps relations and foreign keys that can't be resolved unchanged`() throws {
    let document: AttributeDictionary = ["id": 1, "tracks": [["a"], "t"], "title": "T"]
    let album = try Album.from(dictionaryValue: document, in: scope)
    #expect(album.tracks.value?.compactMap(\.identifier) == ["t"])
    #expect(album.dictionaryValue == document)
    let track = try Track.from(dictionaryValue: ["id": "u", "album": "x"], in: scope)
    #expect(track.album.value == nil)
    #expect(track.dictionaryValue == ["id": "u", "album": "x"])
    track.album.value = album
    #expect(track.dictionaryValue == ["id": "u", "album": 1])
    let book = try Book.from(dictionaryValue: ["author": true], in: scope)
    #expect(book.dictionaryValue == ["author": true])
  }

  @Test func `A lenient reading keeps rejected values of dotted keys, and unknown keys beside them`() throws {
    final class Work: Model {
      let year = Field<Int>(key: "dates.year")
      let month = Field<Int>(key: "dates.month")
    }
    let scope = ModelScope(transformers: ValueTransformerContext(decoding: .lenient, keepsUnknownKeys: true))
    scope.decodingIssueHandler = self.scope.decodingIssueHandler
    let document: AttributeDictionary = ["dates": ["year": "MCM", "month": 3, "day": "ten"], "x": nil]
    let work = try Work.from(dictionaryValue: document, in: scope)
    #expect(reported.texts == [#"dates.year: expected an integer, found the string "MCM""#])
    #expect(work.dictionaryValue == document)
    work.year.value = 1900
    #expect(work.dictionaryValue == ["dates": ["year": 1900, "month": 3, "day": "ten"], "x": nil])
  }

  @Test func `Rejected values are not written for a strict reader`() throws {
    let book = try Book.from(dictionaryValue: ["id": 1, "year": "MCM"], in: scope)
    #expect(book.dictionaryValue(fields: book.fields, in: ModelScope()) == ["id": 1])
  }

  @Test func `Rejected values are copied, and discarded when a model is unloaded`() throws {
    let author = try Author.from(dictionaryValue: ["name": [], "books": [["year": "MCM"], 1.5]], in: scope)
    let copy = author.copy()
    #expect(copy.dictionaryValue(fields: copy.fields, in: scope) == author.dictionaryValue)
    copy.name.value = "Ada"
    #expect(author.dictionaryValue["name"] == [])
    author.unload()
    #expect(author.rejectedValues.isEmpty)
    #expect(author.dictionaryValue.isEmpty)
  }

  @Test func `A lenient reading throws for a document without a model, and for an identifier in use`() throws {
    #expect(throws: JSONSyntaxError.self) { try Book.from(json: Data("{".utf8), in: scope) }
    #expect(throws: ModelDecodingError.self) { try Book.from(json: Data("[]".utf8), in: scope) }
    let book = try Book.from(dictionaryValue: ["id": 1], in: scope)
    let other = try Book.from(dictionaryValue: ["id": 2], in: scope)
    #expect(throws: ModelDecodingError.self) { try other.read(["id": 1, "title": "T"]) }
    #expect(other.title.value == nil)
    #expect(book !== other)
    #expect(reported.issues.isEmpty)
  }

  @Test func `A lenient reading uses the last value of a model that occurs twice`() throws {
    let good = try Author.list(
      fromJSON: Data(#"[{"id": 1, "name": []}, {"id": 1, "name": "Ada"}]"#.utf8), in: scope)
    #expect(good[0] === good[1])
    #expect(good[0].rejectedValues.isEmpty)
    #expect(good[0].dictionaryValue == ["id": 1, "name": "Ada"])
    let bad = try Author.list(
      fromJSON: Data(#"[{"id": 2, "name": "Ada"}, {"id": 2, "name": []}]"#.utf8), in: scope)
    #expect(bad[0].dictionaryValue == ["id": 2, "name": []])
    #expect(reported.issues.count == 2)
  }
}

@Suite struct `Random documents with errors` {
  private final class Crate: Model {
    let id = Field<Int>()
    let label = Field<String>(key: "texts.label")
    let weight = Field<Double>(key: "weight")
    let isOpen = Field<Bool>(key: "texts.open")
    let tags = Field<String>()*
    let lid = ModelField<Crate>()
    let crates = ModelField<Crate>()*
  }

  private struct Generator {
    var random: RandomDocument

    mutating func any(_ depth: Int = 0) -> JSONValue {
      switch random.number(0...(depth > 2 ? 4 : 6)) {
      case 0: .null
      case 1: .bool(random.chance(500))
      case 2: .int(random.number(-9...9))
      case 3: .double(Double(random.number(1...9)) + 0.25)
      case 4: .string(random.pick(["a", "", "12x", "é"]))
      case 5: .array((0..<random.number(0...2)).map { _ in any(depth + 1) })
      default:
        .object(
          Dictionary((0..<random.number(0...2)).map { _ in (random.pick(["p", "q", "id"]), any(depth + 1)) }) { $1 })
      }
    }

    mutating func crate(_ depth: Int) -> JSONValue {
      var object: AttributeDictionary = [:]
      var texts: AttributeDictionary = [:]
      if random.chance(500) { object["weight"] = random.chance(300) ? bad() : 2.5 }
      if random.chance(500) { texts["label"] = random.chance(300) ? bad() : "L" }
      if random.chance(500) { texts["open"] = random.chance(300) ? bad() : true }
      if random.chance(500) { object["tags"] = random.chance(300) ? bad() : ["x", "y"] }
      if random.chance(300) { object["other"] = any() }
      if random.chance(300) { texts["third"] = any() }
      if random.chance(500), depth < 3 { object["lid"] = random.chance(200) ? bad() : crate(depth + 1) }
      if random.chance(500), depth < 3 {
        object["crates"] = .array(
          (0..<random.number(0...3)).map { _ in random.chance(200) ? bad() : crate(depth + 1) })
      }
      if !texts.isEmpty { object["texts"] = .object(texts) } else if random.chance(200) { object["texts"] = any() }
      // An object whose members are fields is written by the fields.
      if texts.isEmpty, case .object? = object["texts"] { object["texts"] = .array([]) }
      return .object(object)
    }

    /// Returns a value that all fields reject. All fields accept null.
    mutating func bad() -> JSONValue { random.pick([.array([nil]), .array([["a": 1]]), .array([1, [nil, 2.50]])]) }
  }

  @Test func `Random documents with rejected values are written back unchanged`() throws {
    for seed in 0..<400 as Range<UInt64> {
      var generator = Generator(random: RandomDocument(seed: seed))
      let scope = ModelScope(transformers: ValueTransformerContext(decoding: .lenient, keepsUnknownKeys: true))
      scope.decodingIssueHandler = { _ in }
      let document = generator.crate(0)
      let crate = try Crate.from(json: document.jsonData(), in: scope)
      let written = try JSONValue(json: crate.jsonData())
      #expect(written == document, "seed \(seed)")
      guard case .object(let dictionary) = document else { continue }
      #expect(try Crate.from(dictionaryValue: dictionary, in: scope).dictionaryValue == dictionary, "seed \(seed)")
    }
  }
}

import Foundation
@_spi(ModelKitInternals) import ModelCore
import Observation
import Synchronization
import Testing

private enum Mood: String, CaseIterable { case glad, sad }

private struct Opaque {
  var number = 0
}

private final class Writer: Model {
  @Field var id: Int?
  @Field(.notBlank, name: "Name") var name: String?
  @ModelArrayField(inverse: \.$writer) var novels: [Novel]?
  override var identifierField: AnyField? { $id }
}

private final class Novel: Model {
  @Field var id: Int?
  @Required(.notBlank, .length(1...20)) var title = "Untitled"
  @Field(.range(1...5), key: "stars") var rating: Int?
  @Field var mood: Mood? = .glad
  @Required var tags: [String] = []
  @Field(configure: { $0.transform(with: .date(format: "yyyy-MM-dd")) }) var day: Date?
  @Field var opaque: Opaque?
  @Required var price: Decimal = 9.99
  @ArrayField(Field<String>().require(.notBlank)) var notes: [String]?
  @ModelField var writer: Writer?
  let isbn = Field<String>()
  override var identifierField: AnyField? { $id }
}

private class Being: Model {
  @Field var id: Int?
  private(set) var counter = 0
  override var identifierField: AnyField? { $id }
}

private final class Robot: Being {
  @Required var model = "R2"
  let serial = Field<String>()
}

private final class Counter: Sendable {
  let number = Atomic(0)
}

@Suite struct `A model with ordinary properties` {
  @Test func `An ordinary property reads and sets the value of its field`() {
    let novel = Novel()
    #expect(novel.id == nil)
    #expect(novel.title == "Untitled")
    #expect(novel.mood == .glad)
    #expect(novel.tags == [])
    novel.title = "Emma"
    novel.tags.append("classic")
    novel.rating = 5
    novel.isbn.value = "1"
    #expect(novel.$title.value == "Emma")
    #expect(novel.$tags.value == ["classic"])
    #expect(novel.rating == 5)
    novel.$title.value = nil
    #expect(novel.title == "Untitled")
    novel.opaque = Opaque(number: 3)
    #expect(novel.opaque?.number == 3)
  }

  @Test func `Fields of ordinary properties are listed by the names of the properties, in their order`() {
    let novel = Novel(), robot = Robot()
    #expect(
      novel.fields.map(\.key) == [
        "id", "title", "stars", "mood", "tags", "day", "opaque", "price", "notes", "writer", "isbn",
      ])
    #expect(robot.fields.map(\.key) == ["id", "model", "serial"])
    #expect(novel.$id.owner === novel)
    #expect(novel.identifierField?.key == "id")
  }

  @Test func `Rules of ordinary properties are checked, and a required property needs a value`() {
    let novel = Novel()
    novel.rating = 7
    novel.title = ""
    novel.notes = [""]
    #expect(!novel.validate().isValid)
    #expect(
      novel.validationErrors.map(\.description) == [
        "title cannot be blank", "title length must be greater than or equal to 1",
        "stars (rating) must be less than or equal to 5", "notes[0] cannot be blank",
      ])
    novel.$title.value = nil
    novel.validate()
    #expect(novel.validationErrors.first?.description == "title is required")
  }

  @Test func `Ordinary properties are read from JSON and written to it as fields are`() throws {
    let json = """
      {"id": 1, "title": "Emma", "stars": 4, "mood": "sad", "tags": ["a", "b"], "day": "1815-12-23", "price": 5.25,
       "notes": ["x"], "writer": {"id": 2, "name": "Jane"}, "isbn": "9"}
      """
    for isDirect in [true, false] {
      let scope = ModelScope()
      let novel =
        isDirect
        ? try Novel.from(json: Data(json.utf8), in: scope)
        : try Novel.from(dictionaryValue: #require(try JSONValue(json: Data(json.utf8)).objectValue), in: scope)
      #expect(novel.title == "Emma")
      #expect(novel.rating == 4)
      #expect(novel.mood == .sad)
      #expect(novel.tags == ["a", "b"])
      #expect(novel.price == Decimal(string: "5.25"))
      #expect(novel.writer?.name == "Jane")
      #expect(novel.writer?.novels == [novel])
      var written = try #require(try JSONValue(json: novel.jsonData()).objectValue)
      written["writer"] = nil
      var read = try #require(try JSONValue(json: Data(json.utf8)).objectValue)
      read["writer"] = nil
      #expect(written == read)
      #expect(novel.canonicalInstance(in: scope) === novel)
      #expect(!novel.isDirty)
      novel.title = "Persuasion"
      #expect(novel.isDirty)
      novel.revert()
      #expect(novel.title == "Emma")
    }
    let empty = try Novel.from(json: Data(#"{"id": 3, "title": null}"#.utf8))
    #expect(empty.title == "Untitled")
    #expect(empty.$title.value == nil)
  }

  @Test func `Ordinary properties are observed, copied and merged as fields are`() throws {
    let novel = Novel()
    var seen: [String?] = []
    let observation = novel.$title --> { seen.append($0) }
    novel.title = "A"
    novel.title = "A"
    novel.title = "B"
    observation.cancel()
    #expect(seen == ["Untitled", "A", "B"])
    let copy = novel.copy()
    #expect(copy.title == "B")
    copy.title = "C"
    #expect(novel.title == "B")
    novel.merge(from: copy)
    #expect(novel.title == "C")
    let writer = Writer()
    novel.writer = writer
    #expect(writer.novels == [novel])
    writer.novels?.removeAll()
    #expect(novel.writer == nil)
  }

  @Test func `Appending to an unloaded list of related models changes nothing`() throws {
    let writer = try Writer.from(dictionaryValue: ["id": 1, "name": "Jane"])
    writer.unload()
    #expect(writer.novels == nil)
    writer.novels?.append(Novel())
    #expect(writer.novels == nil)
    #expect(writer.$novels.loadState == .notLoaded)
    #expect(!writer.isDirty)
    writer.$novels.add(Novel())
    #expect(writer.novels?.count == 1)
  }

  @Test func `Reads of ordinary properties are tracked by Swift's observation`() {
    FieldObservation.isEnabled = true
    let novel = Novel()
    for (read, change) in [
      ({ _ = novel.title }, { novel.title = "Emma" }), ({ _ = novel.rating }, { novel.rating = 4 }),
      ({ _ = novel.writer }, { novel.writer = Writer() }),
    ] as [(() -> Void, () -> Void)] {
      let count = Counter()
      withObservationTracking(read) { count.number.add(1, ordering: .relaxed) }
      novel.price += 1
      #expect(count.number.load(ordering: .relaxed) == 0)
      change()
      #expect(count.number.load(ordering: .relaxed) == 1)
    }
  }

  @Test func `Models with ordinary properties are released with their fields`() {
    weak var model: Novel?
    weak var field: Field<String>?
    do {
      let novel = Novel()
      (model, field) = (novel, novel.$title)
      novel.writer = Writer()
    }
    #expect(model == nil)
    #expect(field == nil)
    var kept: Field<String>?
    do {
      let novel = Novel()
      kept = novel.$title
      #expect(kept?.owner === novel)
    }
    #expect(kept?.owner == nil)
    kept?.value = "still here"
    #expect(kept?.value == "still here")
  }

  private final class Mixed: Model {
    @Field var mixedName: String?
    var mixedNote = Field<String>()
    lazy var mixedLater = Field<Int>()
  }

  @Test func `Ordinary properties beside fields in variables report no issue`() throws {
    let issues = ReportedIssues.about("mixedName") {
      let model = Mixed()
      model.mixedName = "a"
      model.mixedNote = Field("b")
      model.mixedLater.value = 3
      #expect(model.fields.compactMap(\.key) == ["mixedName", "mixedNote", "mixedLater"])
      #expect(model.$mixedName.owner === model)
    }
    #expect(issues == [])
  }

  private final class Replacing: Model {
    @Field var name: String?
    @Field var note: String?
    func replaceName() { _name = Field("new") }
  }

  @Test func `A field of an ordinary property that is replaced belongs to the model, and is reported`() throws {
    let model = Replacing()
    let issues = ReportedIssues.about("Replacing.name was replaced") {
      model.replaceName()
      #expect(model.fields.compactMap(\.key) == ["name", "note"])
      #expect(model.fields.compactMap(\.key) == ["name", "note"])
    }
    #expect(issues.count == 1)
    #expect(model.$name.owner === model)
    #expect(try model.jsonData() == Data(#"{"name":"new"}"#.utf8))
  }

  private final class Row: Model {
    @Field var first: String?
    @Field var second: String?
    subscript(number: Int) -> String? {
      get { number == 0 ? first : second }
      set { if number == 0 { first = newValue } else { second = newValue } }
    }
    var shout: String? {
      get { first?.uppercased() }
      set { first = newValue }
    }
  }

  @Test func `The field of a property is found at every use of its key path, even of one that captures a value`() {
    for _ in 0..<3 {
      let row = Row.prototype()
      #expect(row.field(of: \.first) === row.$first)
      #expect(row.field(of: \.second) === row.$second)
      for number in 0..<3 { #expect(row.field(of: \.[number]) === (number == 0 ? row.$first : row.$second)) }
      #expect(row.field(of: \.shout) == nil)
      let (being, robot) = (Being.prototype(), Robot.prototype())
      #expect(being.field(of: \.id) === being.$id)
      #expect(robot.field(of: \.model) === robot.$model)
      #expect(robot.field(of: \.id) === robot.$id)
    }
  }
}

import FieldKit
import Foundation
import ModelCore
import Testing

private final class Greeter: Model, ReadingHook {
  let id = Field<Int>()
  let name = Field<String>(key: "full_name")
  let age = Field<Int>()
  let firm = ModelField<Hall>(inverse: \.staff)
  private(set) var seen: [String] = []
  override var identifierField: AnyField? { id }
  func afterRead() { seen.append("\(name.value ?? "?") at \(firm.value?.name.value ?? "?")") }
}

private final class Hall: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let staff = ModelField<Greeter>()*
  override var identifierField: AnyField? { id }
}

private final class Spot: Model, DocumentConverting {
  let latitude = Field<Double>()
  let longitude = Field<Double>()
  let inner = ModelField<Spot>()

  static func decoded(_ dictionary: AttributeDictionary) throws -> AttributeDictionary {
    guard case .array(let pair)? = dictionary["position"] else { return dictionary }
    guard pair.count == 2 else { throw ValueTransformError(expected: "two numbers", found: .array(pair)) }
    var decoded: AttributeDictionary = ["latitude": pair[0], "longitude": pair[1]]
    decoded["inner"] = dictionary["inner"]
    return decoded
  }

  func encoded(_ dictionary: AttributeDictionary) throws -> AttributeDictionary {
    var encoded: AttributeDictionary = [
      "position": [dictionary["latitude"] ?? .null, dictionary["longitude"] ?? .null]
    ]
    encoded["inner"] = dictionary["inner"]
    return encoded
  }
}

private final class Poll: Model, FieldListing {
  let title = Field<String>()
  let answers = (1...3).map { Field<Int>(key: "answer\($0)") }
  var listedFields: [AnyField] { answers }
}

private final class Bill: Model, ChangeIntercepting {
  let lines = ModelField<BillLine>()*
  let total = Field<Int>()
  private(set) var paths: [String] = []

  func intercept(changeAt path: FieldPath) {
    paths.append("\(path)")
    if path.components.first == .key("lines") {
      total.value = lines.value?.reduce(0) { $0 + ($1.price.value ?? 0) }
    }
  }
}

private final class BillLine: Model {
  let price = Field<Int>()
}

private final class Knot: Model, ChangeIntercepting {
  let name = Field<String>()
  let next = ModelField<Knot>()
  private(set) var paths: [String] = []

  func intercept(changeAt path: FieldPath) {
    paths.append("\(path)")
    next.value?.name.value = name.value
  }
}

@Suite struct `Models as the former libraries had them` {
  @Test func `MK-M11, AK-6: reading configures the model last, and reports whether it is new`() throws {
    let scope = ModelScope()
    var calls: [(String?, Bool)] = []
    let ada = try Greeter.from(dictionaryValue: ["id": 1, "full_name": "Ada"], in: scope) { person, isNew in
      calls.append((person.name.value, isNew))
    }
    let again = try Greeter.from(dictionaryValue: ["id": 1, "full_name": "Eve"], in: scope) { person, isNew in
      calls.append((person.name.value, isNew))
    }
    #expect(ada === again)
    #expect(calls.map(\.0) == ["Ada", "Eve"])
    #expect(calls.map(\.1) == [true, false])
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try Greeter.from(dictionaryValue: ["id": 2], in: scope) { _, _ in throw Refused() }
    }
    #expect(throws: ModelDecodingError.self) {
      try Greeter.from(dictionaryValue: ["id": "x"], in: scope) { _, _ in Issue.record("was configured") }
    }
  }

  @Test func `MK-M24: a hook runs after reading, when fields and relations have their values`() throws {
    let person = try Greeter.from(dictionaryValue: ["id": 1, "full_name": "Ada", "firm": ["id": 7, "name": "ACM"]])
    #expect(person.seen == ["Ada at ACM"])
    try person.read(["full_name": "Eve"])
    #expect(person.seen == ["Ada at ACM", "Eve at ACM"])
    let list = try Greeter.list(fromJSON: Data(#"[{"id": 1, "full_name": "Bob"}, {"id": 2}]"#.utf8))
    #expect(list.map(\.seen) == [["Bob at ?"], ["? at ?"]])
    let firm = try Hall.from(json: Data(#"{"name": "IBM", "staff": [{"id": 3, "full_name": "Cy"}]}"#.utf8))
    #expect(firm.staff.value?.first?.seen == ["Cy at IBM"])
    #expect(throws: ModelDecodingError.self) { try person.read(["age": "x"]) }
    #expect(person.seen.count == 2)
  }

  @Test func `MM-2: a class converts whole dictionaries, at any depth and in both directions`() throws {
    let json: AttributeDictionary = ["position": [1.5, 2.5], "inner": ["position": [3, 4]]]
    let place = try Spot.from(dictionaryValue: json)
    #expect(place.latitude.value == 1.5)
    #expect(place.inner.value?.longitude.value == 4)
    #expect(JSONValue.object(place.dictionaryValue) == .object(json))
    #expect(try JSONValue(json: place.jsonData()) == .object(json))
    let read = try Spot.from(json: place.jsonData())
    #expect(read.longitude.value == 2.5)
    try place.read(["position": [7, 8]])
    #expect(place.latitude.value == 7)
    #expect(throws: ModelDecodingError.self) { try place.read(["position": [1]]) }
    #expect(place.latitude.value == 7)
  }

  @Test func `MK-M9, AK-8: a closure chooses the written fields, and a scope their spelling`() throws {
    let person = Greeter(), scope = ModelScope(transformers: ValueTransformerContext(keyCase: .lowerCamel))
    person.id.value = 1
    person.name.value = "Ada"
    #expect(JSONValue.object(person.dictionaryValue(in: scope)) == ["fullName": "Ada", "id": 1])
    #expect(JSONValue.object(person.dictionaryValue { $0 === person.name }) == ["full_name": "Ada"])
    #expect(JSONValue.object(person.dictionaryValue(in: scope) { $0.key != "id" }) == ["fullName": "Ada"])
    #expect(person.dictionaryValue { _ in false }.isEmpty)
  }

  @Test func `MK-M12: reading some fields leaves the others as they are`() throws {
    let person = Greeter()
    person.age.value = 36
    try person.read(["full_name": "Ada", "age": 7, "id": 3], fields: [person.name, person.id])
    #expect((person.name.value, person.id.value, person.age.value) == ("Ada", 3, 36))
    let camel = ModelScope(transformers: ValueTransformerContext(keyCase: .lowerCamel))
    try person.read(["fullName": "Eve"], fields: [person.name], in: camel)
    #expect(person.name.value == "Eve")
    #expect(throws: ModelDecodingError.self) {
      try person.read(["age": "x", "id": 4], fields: [person.id, person.age])
    }
    #expect(person.id.value == 3)
  }

  @Test func `MK-M8, AK-3: the identifier can be set as text, and cleared`() {
    let person = Greeter()
    #expect(!person.isPersisted)
    person.identifier = "12"
    #expect(person.id.value == 12)
    person.identifier = nil
    #expect(person.id.value == nil)
    #expect(person.identifier == nil)
    let line = BillLine()
    line.identifier = nil
    #expect(line.identifier == nil)
  }

  @Test func `MK-S2: a model that was written already is written by its identifier`() {
    let firm = Hall(), ada = Greeter()
    (firm.id.value, firm.name.value, ada.id.value) = (1, "ACM", 2)
    ada.firm.value = firm
    #expect(
      JSONValue.object(ada.dictionaryValue) == ["id": 2, "firm": ["id": 1, "name": "ACM", "staff": [["id": 2]]]])
    #expect(
      JSONValue.object(firm.dictionaryValue) == ["id": 1, "name": "ACM", "staff": [["id": 2, "firm": ["id": 1]]]])
  }

  @Test func `MK-M2: fields that are listed by hand are read, written and found as others are`() throws {
    let survey = try Poll.from(dictionaryValue: ["title": "Tea", "answer1": 4, "answer3": 5])
    #expect(survey.answers.map(\.value) == [4, nil, 5])
    #expect(survey.fields.map(\.key) == ["title", "answer1", "answer2", "answer3"])
    #expect(survey["answer3"] as? Int == 5)
    #expect(JSONValue.object(survey.dictionaryValue) == ["title": "Tea", "answer1": 4, "answer3": 5])
    #expect(Poll.fieldKeys.count == 4)
    let other = Poll()
    #expect(other.answers[0].value == nil)
    #expect(other.answers[0].owner === other)
  }

  @Test func `MK-M7, AK-2: a path can have another separator, and a field has a path`() {
    #expect(FieldPath("firm/name", separator: "/") == ["firm", "name"])
    #expect(FieldPath("a.b/c[0]", separator: "/") == ["a.b", "c[0]"])
    #expect(FieldPath("firm/*", separator: "/").isWildcard)
    let person = Greeter()
    #expect(person.fieldPath(for: person.name) == ["full_name"])
    #expect(person.fieldPath(for: Greeter().name) == nil)
    #expect(person.fieldPath(for: Field<Int>(key: "x")) == nil)
  }

  @Test func `MK-R3: a relation gives its inverse on a related model`() {
    let firm = Hall(), ada = Greeter()
    #expect(ada.firm.inverseField(on: firm) === firm.staff)
    #expect(firm.staff.inverseField(on: ada) === ada.firm)
    #expect(ada.firm.inverseFields.isEmpty)
    ada.firm.value = firm
    #expect(ada.firm.inverseFields.map { $0 === firm.staff } == [true])
    #expect(Poll.prototype().fields.allSatisfy { !($0 is any RelationField) })
    #expect(ModelField<Hall>().inverseField(on: firm) == nil)
  }

  @Test func `MK-M26: a model intercepts each change of a field of it or below it`() {
    let order = Bill(), line = BillLine()
    line.price.value = 3
    order.lines.add(line)
    #expect(order.total.value == 3)
    line.price.value = 5
    #expect(order.total.value == 5)
    #expect(order.paths == ["lines", "total", "lines.price", "total"])
    order.removeAllObservers()
    line.price.value = 7
    #expect(order.total.value == 7)
    weak var released: Bill?
    do {
      let other = Bill()
      released = other
    }
    #expect(released == nil)
  }

  @Test func `MK-M26: in a circle, each model intercepts a change once, even if it passes the value on`() {
    let knots = (0..<3).map { _ in Knot() }
    for (index, knot) in knots.enumerated() { knot.next.value = knots[(index + 1) % 3] }
    let before = knots.map(\.paths.count)
    knots[0].name.value = "x"
    #expect(knots.map(\.name.value) == ["x", "x", "x"])
    let paths = zip(knots, before).map { $0.paths.dropFirst($1).sorted() }
    #expect(paths == Array(repeating: ["name", "next.name", "next.next.name"], count: 3))
    knots[0].next.value = nil
  }

  @Test func `MK-M27: a change is announced without a field having changed, and holds for every path below`() throws {
    let firm = Hall(), ada = Greeter()
    ada.firm.value = firm
    var paths: [String] = []
    ada.addObserver { paths.append("any \($1)") }
    ada.addObserver(for: "firm.name") { paths.append("name \($1)") }
    ada.addObserver(for: "age") { paths.append("age \($1)") }
    firm.name --> { _ in paths.append("field") }
    paths = []
    try firm.announceChange(at: "name")
    #expect(Set(paths) == ["any firm.name", "name firm.name", "field"])
    paths = []
    try ada.announceChange(at: "firm")
    #expect(paths.sorted() == ["any firm", "name firm"])
    #expect(throws: FieldError.self) { try ada.announceChange(at: "nothing") }
  }
}
